import http from 'node:http'
import https from 'node:https'

/**
 * Opens a request to the server that the owner named for a command, such as a push. Takes less processor time than
 * `fetch`, and follows no redirects.
 */
export function openRequest(to: URL, options: http.RequestOptions): http.ClientRequest {
  return (to.protocol === 'https:' ? https : http).request(to, options)
}

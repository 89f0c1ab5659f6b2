import { UsageError } from './usage-error.ts'

/**
 * Returns the URL in an option's value. Throws a usage error if it is not valid. SECURITY: plain HTTP is accepted only
 * for this machine, because all data could be read in transit on a network.
 */
export function parseWebAddress(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text
  throw new UsageError(`${option} must be an https URL, or an http URL on this machine.`)
}

/** Throws a usage error unless a URL is the base URL of a server. */
export function assertBaseUrl(url: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return
  throw new UsageError('--url must be a base URL, such as http://127.0.0.1:4747.')
}

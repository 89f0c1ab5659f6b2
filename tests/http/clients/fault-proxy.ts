import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type ProxyFault = { readonly status: number; readonly headers?: Record<string, string> }

/** Starts a proxy in front of the listener. It responds to the first requests with faults, and forwards later ones. */
export async function startFaultProxy(port: number, faults: readonly ProxyFault[]) {
  let hits = 0
  const server = http.createServer((request, response) => {
    const fault = faults[hits++]
    if (fault) {
      request.resume()
      response.writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers })
      response.end(JSON.stringify({ title: 'Fault', status: fault.status, detail: 'A fault of the test.' }))
      return
    }
    const { method, url, headers } = request
    const onward = http.request(
      { host: '127.0.0.1', port, method, path: url, headers: { ...headers, host: `127.0.0.1:${port}` } },
      (received) => {
        response.writeHead(received.statusCode ?? 500, received.headers)
        received.pipe(response)
      },
    )
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits: () => hits }
}

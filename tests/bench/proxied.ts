import http from 'node:http'
import type { AddressInfo } from 'node:net'
import httpProxy from 'http-proxy'

/** The destination of proxied calls: a bare server, with a bare reverse proxy in front of it. */
export type ProxiedPorts = { readonly bare: number; readonly reverse: number }

const answer = Buffer.from(JSON.stringify({ id: 'ch_1', object: 'charge', paid: true }))

/** Responds to a message with the number of requests since the previous one. */
process.on('message', () => {
  process.send?.(requestCount)
  requestCount = 0
})

/** Reads the request and responds with a little JSON; a path that ends in `/down` returns 25 MiB. */
let requestCount = 0
const bare = http.createServer((request, response) => {
  requestCount++
  if (request.url?.endsWith('/down')) {
    response.writeHead(200, { 'Content-Type': 'application/octet-stream' })
    return void sendPieces(response, 400)
  }
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
    response.end(answer)
  })
})

// Longer than the runs of the other targets, because http-proxy exits when a kept-alive connection is closed.
bare.keepAliveTimeout = 120_000

const piece = Buffer.alloc(64 * 1024, 'x')

function sendPieces(response: http.ServerResponse, left: number): void {
  for (let at = left; at > 0; at--) {
    if (!response.write(piece)) return void response.once('drain', () => sendPieces(response, at - 1))
  }
  response.end()
}

const listenOnPort = (server: http.Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )

if (process.argv[2] === 'bare') process.send?.(await listenOnPort(bare))
else {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  const proxy = httpProxy.createProxyServer({ target: `http://127.0.0.1:${process.argv[3]}`, agent })
  process.send?.(await listenOnPort(http.createServer((request, response) => proxy.web(request, response))))
}

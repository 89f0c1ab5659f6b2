import type dns from 'node:dns'
import http from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a local server as the destination of calls. It records its requests and is stopped when the test ends. */
export async function startDestination(
  handleRequest: http.RequestListener = (_, response) => response.end('ok'),
): Promise<{ port: number; url: string; requests: http.IncomingMessage[] }> {
  const requests: http.IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    requests.push(request)
    handleRequest(request, response)
  })
  const port = await listenOnFreePort(server)
  onTestFinished(() => server.closeAllConnections())
  return { port, url: `http://127.0.0.1:${port}`, requests }
}

/** Starts a server that responds to each connection with these bytes, and then closes it. */
export async function startRawDestination(bytes: string): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(bytes))
  })
  return `http://127.0.0.1:${await listenOnFreePort(server)}`
}

/** Starts a server on a free loopback port, and returns the port. The server is stopped when the test ends. */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Returns a resolver that returns the next of these addresses on each query. */
export function createLookup(...addresses: string[]): { lookup: typeof dns.lookup; asked: string[] } {
  const asked: string[] = []
  const lookUpNext = ((name: string, _: object, done: (error: null, found: dns.LookupAddress[]) => void) => {
    const address = addresses[Math.min(asked.length, addresses.length - 1)] ?? ''
    asked.push(name)
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  }) as unknown as typeof dns.lookup
  return { lookup: lookUpNext, asked }
}

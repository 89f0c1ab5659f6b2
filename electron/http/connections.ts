import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const MOST_CONNECTIONS = 2000

/** How long Node lets a client take. */
export const connectionLimits = {
  maxHeaderSize: 16 * 1024,
  // SECURITY: slow clients are cut off (case X-08), and checked often enough for the limits to hold.
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  // The guard refuses a request without Host itself, with a problem document.
  requireHostHeader: false,
} as const

/**
 * Keeps room for new clients (case X-08): with too many connections open, the one that has been idle longest is
 * closed. A connection with a request under way is never cut.
 */
export function makeRoom(server: Server): void {
  const silent = new Set<Socket>()
  let open = 0
  server.on('connection', (socket: Socket) => {
    open++
    silent.add(socket)
    socket.on('close', () => {
      open--
      silent.delete(socket)
    })
    if (open <= MOST_CONNECTIONS) return
    const [longest] = silent
    if (!longest) return
    silent.delete(longest)
    longest.destroy()
  })
  server.on('request', ({ socket }, response) => {
    silent.delete(socket)
    response.on('close', () => {
      if (!socket.destroyed) silent.add(socket)
    })
  })
}

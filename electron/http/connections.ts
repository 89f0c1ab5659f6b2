import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const MOST_CONNECTIONS = 2000

/** What Node lets a client take its time with. */
export const connectionLimits = {
  maxHeaderSize: 16 * 1024,
  // SECURITY: slow clients are cut off (case X-08), and looked for often enough that the limits mean what they say.
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  // The guard refuses a request without Host, with a problem document.
  requireHostHeader: false,
} as const

/**
 * Keeps room for whoever asks (case X-08): where there are too many connections, the one that has waited longest
 * without a request goes. None is cut that has a request under way.
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

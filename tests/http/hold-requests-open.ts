import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { isThorough } from '../thorough.ts'
import { sendRawRequest } from './raw-request.ts'

/** The number of requests that are open at the same time. */
const many = isThorough ? 1000 : 200
const batch = 100

/** Resolves to the sockets once the headers of `count` further requests have arrived at a port. */
export function connectMany(port: number, count: number): Promise<Socket[]> {
  return new Promise((resolve) => {
    const sockets: Socket[] = []
    const collectSocket = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      if (socket.localPort !== port || sockets.push(socket) < count) return
      unsubscribe('http.server.request.start', collectSocket)
      resolve(sockets)
    }
    subscribe('http.server.request.start', collectSocket)
  })
}

/**
 * Sends the same request many times, and resolves to the pending responses once every request has arrived. They are
 * sent in batches, because on a busy machine the headers of all of them together would take longer than the ten seconds
 * after which the listener closes a connection. The result is an object, so that awaiting it does not await the
 * responses.
 */
export async function holdRequestsOpen(
  port: number,
  bytes: string,
): Promise<{ responses: Promise<string>[] }> {
  const responses: Promise<string>[] = []
  while (responses.length < many) {
    const arrived = connectMany(port, batch)
    for (let sent = 0; sent < batch; sent++) responses.push(sendRawRequest(port, bytes))
    // If a request fails, this rejects, because otherwise it would wait for its arrival forever.
    await Promise.race([arrived, Promise.all(responses)])
  }
  return { responses }
}

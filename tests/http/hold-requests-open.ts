import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { isThorough } from '../thorough.ts'
import { sendRawRequest } from './raw-request.ts'

/** The number of calls that wait at the same time. */
const many = isThorough ? 1000 : 200
const batch = 100

/** Resolves once the headers of this many more requests have arrived at a port. */
export function connectMany(port: number, count: number): Promise<Socket[]> {
  return new Promise((resolve) => {
    const sockets: Socket[] = []
    const note = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      if (socket.localPort !== port || sockets.push(socket) < count) return
      unsubscribe('http.server.request.start', note)
      resolve(sockets)
    }
    subscribe('http.server.request.start', note)
  })
}

/**
 * Sends the same request very often, and resolves to the pending responses once every request has arrived. It sends in
 * batches: the listener closes clients that take ten seconds to send headers, which on a busy machine would be all of
 * them if sent together. The result is an object, so that awaiting it does not await the responses.
 */
export async function holdRequestsOpen(port: number, bytes: string): Promise<{ answers: Promise<string>[] }> {
  const answers: Promise<string>[] = []
  while (answers.length < many) {
    const arrived = connectMany(port, batch)
    for (let sent = 0; sent < batch; sent++) answers.push(sendRawRequest(port, bytes))
    // If one fails, this rejects instead of waiting for an arrival that never happens.
    await Promise.race([arrived, Promise.all(answers)])
  }
  return { answers }
}

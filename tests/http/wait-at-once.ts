import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { isThorough } from '../thorough.ts'
import { rawRequest } from './raw-request.ts'

/** As many calls as are to wait at the same time. */
export const many = isThorough ? 1000 : 400

const BATCH = 100

/**
 * Sends the same request very often, and resolves to the answers that are waited for once every request has arrived.
 * More are sent only when the last ones have arrived: the listener cuts off whoever takes ten seconds to send headers,
 * which on a busy machine is everybody if all come at once.
 */
export async function waitAtOnce(port: number, bytes: string): Promise<{ answers: Promise<string>[] }> {
  const answers: Promise<string>[] = []
  let arrived = 0
  let allArrived = () => {}
  const note = (message: unknown) => {
    if ((message as { socket: Socket }).socket.localPort !== port) return
    if (++arrived === answers.length) allArrived()
  }
  subscribe('http.server.request.start', note)
  try {
    while (answers.length < many) {
      const have = new Promise<void>((resolve) => {
        allArrived = resolve
      })
      for (let sent = 0; sent < BATCH; sent++) answers.push(rawRequest(port, bytes))
      // One that fails is not waited for.
      await Promise.race([have, Promise.all(answers)])
    }
  } finally {
    unsubscribe('http.server.request.start', note)
  }
  return { answers }
}

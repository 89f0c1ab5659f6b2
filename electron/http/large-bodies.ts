import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyRequest, preParsingAsyncHookHandler } from 'fastify'
import { Gate } from './gate.ts'

/** Bodies of more bytes than this are large. */
export const LARGE = 64 * 1024

/** How many large bodies may be received or wait at the same time, and how many may be read and answered. */
const MOST_RECEIVED = 64
const MOST_ANSWERED = 1

/**
 * Bounds the memory and the time that large bodies take (rule R-03, case X-48): only so many are received at the same
 * time, and each is read and answered in a turn of its own. The others wait in order of arrival; the
 * connection of a body that may not be received yet is not read from. Small bodies never wait.
 */
export class LargeBodies {
  readonly #receiving = new Gate(MOST_RECEIVED)
  readonly #answering = new Gate(MOST_ANSWERED)

  /** The hook that lets a body be received. */
  readonly receive: preParsingAsyncHookHandler = async (request, reply, payload) => {
    if (!mayBeLarge(request)) return payload
    const leave = await this.#receiving.enter()
    if (request.raw.destroyed || reply.raw.destroyed) leave()
    else reply.raw.once('close', leave)
    return payload
  }

  /** Runs what reads a body and answers it. */
  async answer<T>(body: Buffer | undefined, run: () => Promise<T>): Promise<T> {
    if (!isLarge(body)) return run()
    const leave = await this.#answering.enter()
    try {
      const done = await run()
      // Committing and sending are turns of their own.
      await turn()
      return done
    } finally {
      leave()
    }
  }
}

/** Whether a body that was received is large. */
export function isLarge(body: Buffer | undefined): boolean {
  return body !== undefined && body.length > LARGE
}

/** Whether a body may turn out to be large. */
export function mayBeLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE
}

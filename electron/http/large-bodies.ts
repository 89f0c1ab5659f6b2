import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { preParsingAsyncHookHandler } from 'fastify'
import { Gate } from './gate.ts'
import { isLarge, LARGE_BODY_BYTES, type UploadSlot, UploadSlots } from './uploads.ts'

/**
 * The maximum number of large bodies that are received at the same time, and of those that are handled at the same
 * time.
 */
const MAX_RECEIVED = 64
const MAX_HANDLED = 1

/**
 * Limits the memory and time that large bodies take (rule R-03, case X-48): up to 64 are received at the same time, and
 * one at a time is handled. The others wait in order of arrival. While a body waits, nothing more of it is read from
 * the connection. Small bodies never wait.
 */
export class LargeBodies {
  readonly #receiving = new UploadSlots(MAX_RECEIVED)
  readonly #handlerGate = new Gate(MAX_HANDLED)

  /** The hook that makes a large body wait for a slot. */
  readonly receiveBody: preParsingAsyncHookHandler = async (request, reply, payload) => {
    const upload = this.#receiving.createSlot(request, reply)
    return upload ? Readable.from(readLimited(payload as Readable, upload), { objectMode: false }) : payload
  }

  /** Runs the handling of a body; large bodies are handled one at a time. */
  runLimited<T>(body: Buffer | undefined, run: () => Promise<T>): Promise<T> {
    return isLarge(body) ? this.#runNext(run) : run()
  }

  async #runNext<T>(run: () => Promise<T>): Promise<T> {
    const release = await this.#handlerGate.acquire()
    try {
      const done = await run()
      // Wait for the next turn of the event loop, so that this body's commit and the response are not in the same
      // turn.
      await turn()
      return done
    } finally {
      release()
    }
  }
}

/**
 * Yields the chunks of a body. Once the body proves large, waits for a slot before it yields more. Rethrows the
 * `timeout` from `timedOut`.
 */
async function* readLimited(body: Readable, { acquire, timedOut }: UploadSlot): AsyncGenerator<Buffer> {
  // Do not destroy the body: if it times out, the response still needs the connection.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let length = 0
  let hasSlot = false
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), timedOut])
      if (done) return
      length += value.length
      if (!hasSlot && length > LARGE_BODY_BYTES) {
        await acquire()
        hasSlot = true
      }
      yield value
    }
  } finally {
    // Not awaited: `return()` settles only when the client sends more or hangs up.
    chunks.return?.().catch(() => {})
  }
}

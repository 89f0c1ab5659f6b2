import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { preParsingAsyncHookHandler } from 'fastify'
import { Gate } from './gate.ts'
import { isLarge, LARGE_BODY_BYTES, type UploadSlot, UploadSlots } from './uploads.ts'

/** How many large bodies may be received at the same time, and how many may be handled. */
const MAX_RECEIVED = 64
const MAX_ANSWERED = 1

/**
 * Limits the memory and time that large bodies take (rule R-03, case X-48): up to 64 are received at the same time, and
 * one at a time is handled. The others wait in order of arrival; nothing is read from the connection of a body without
 * a slot. Small bodies never wait.
 */
export class LargeBodies {
  readonly #receiving = new UploadSlots(MAX_RECEIVED)
  readonly #answering = new Gate(MAX_ANSWERED)

  /** The hook that makes a large body wait for a slot. */
  readonly receiveBody: preParsingAsyncHookHandler = async (request, reply, payload) => {
    const upload = this.#receiving.createSlot(request, reply)
    return upload ? Readable.from(readLimited(payload as Readable, upload), { objectMode: false }) : payload
  }

  /** Runs the handling of a body; large bodies are handled one at a time. */
  async runLimited<T>(body: Buffer | undefined, run: () => Promise<T>): Promise<T> {
    if (!isLarge(body)) return run()
    const release = await this.#answering.acquire()
    try {
      const done = await run()
      // Committing and sending run in separate turns of the event loop.
      await turn()
      return done
    } finally {
      release()
    }
  }
}

/** Yields the chunks of a body, and waits for a slot once the body is large. Throws the `timeout` of `timedOut`. */
async function* readLimited(body: Readable, { acquire, timedOut }: UploadSlot): AsyncGenerator<Buffer> {
  // A body that times out gets a response, so its connection stays open.
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
    // Not awaited: it settles only when the client sends or hangs up.
    chunks.return?.().catch(() => {})
  }
}

import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { preParsingAsyncHookHandler } from 'fastify'
import { Gate } from './gate.ts'
import { isLarge, LARGE_BODY_BYTES, type UploadSlot, UploadSlots } from './uploads.ts'

/** How many large bodies may be received or wait at the same time, and how many may be read and answered. */
const MAX_RECEIVED = 64
const MAX_ANSWERED = 1

/**
 * Bounds the memory and the time that large bodies take (rule R-03, case X-48): only so many are received at the same
 * time, and each is read and answered in a turn of its own. The others wait in order of arrival; the
 * connection of a body that may not be received yet is not read from. Small bodies never wait.
 */
export class LargeBodies {
  readonly #receiving = new UploadSlots(MAX_RECEIVED)
  readonly #answering = new Gate(MAX_ANSWERED)

  /** The hook that lets a body be received. */
  readonly receiveBody: preParsingAsyncHookHandler = async (request, reply, payload) => {
    const upload = this.#receiving.createSlot(request, reply)
    return upload ? Readable.from(readLimited(payload as Readable, upload), { objectMode: false }) : payload
  }

  /** Runs what reads a body and answers it. */
  async runLimited<T>(body: Buffer | undefined, run: () => Promise<T>): Promise<T> {
    if (!isLarge(body)) return run()
    const release = await this.#answering.acquire()
    try {
      const done = await run()
      // Committing and sending are turns of their own.
      await turn()
      return done
    } finally {
      release()
    }
  }
}

/** A body that waits for its place once much of it has come. Throws `timeout` as `Upload.late` does. */
async function* readLimited(body: Readable, { acquire, timedOut }: UploadSlot): AsyncGenerator<Buffer> {
  // A body that comes too late is answered, so its connection stays.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let length = 0
  let isIn = false
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), timedOut])
      if (done) return
      length += value.length
      if (!isIn && length > LARGE_BODY_BYTES) {
        await acquire()
        isIn = true
      }
      yield value
    }
  } finally {
    // Not waited for: where the client is late, this is, too.
    chunks.return?.().catch(() => {})
  }
}

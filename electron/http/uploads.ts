import type { FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { Gate } from './gate.ts'

/** Bodies of more bytes than this are large. */
export const LARGE_BODY_BYTES = 64 * 1024

/** How long a client may keep others waiting by sending little. */
const SLOW_UPLOAD_TIMEOUT_MS = 3000
const CHECK_INTERVAL_MS = 500
/** A client that sends this much between two looks keeps nobody waiting. */
const MIN_PROGRESS_BYTES = 64 * 1024

/** Whether a body that was received is large. */
export function isLarge(body: Buffer | undefined): boolean {
  return body !== undefined && body.length > LARGE_BODY_BYTES
}

/** Whether a body may turn out to be large. */
function mayBeLarge({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BODY_BYTES
  )
}

/** The place of one large body. */
export type UploadSlot = {
  /** Waits for a place. To be called once enough of the body has come. */
  acquire(): Promise<void>
  /** Rejects with `timeout` if the client sends too slowly while others wait for a place. */
  readonly timedOut: Promise<never>
}

/**
 * Bounds how many large bodies are held at the same time (rule R-03). SECURITY: a body that has only begun has
 * no place yet, and one whose client does not go on gives its place up as soon as others wait (case X-08).
 */
export class UploadSlots {
  readonly #gate: Gate

  /** At most so many are received, or on their way, at the same time. */
  constructor(limit: number) {
    this.#gate = new Gate(limit)
  }

  /** The place of the body of a request; null if the body is short. */
  createSlot(request: FastifyRequest, reply: FastifyReply): UploadSlot | null {
    if (!mayBeLarge(request)) return null
    let giveUp: (error: CofferError) => void = () => {}
    const timedOut = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    // The call may have ended before.
    timedOut.catch(() => {})
    const acquire = async () => {
      const release = await this.#gate.acquire()
      if (request.raw.destroyed || reply.raw.destroyed) return release()
      const stop = this.#watchProgress(request, () => {
        // What is left of the body is not waited for.
        reply.header('Connection', 'close')
        giveUp(new CofferError('timeout', 'The body took too long to arrive, and other calls waited.'))
      })
      reply.raw.once('close', () => {
        stop()
        release()
      })
    }
    return { acquire, timedOut }
  }

  /** Looks whether the client sends less than may be waited for. Returns what ends that. */
  #watchProgress({ raw }: FastifyRequest, giveUp: () => void): () => void {
    let waited = 0
    let before = raw.socket.bytesRead
    const timer = setInterval(() => {
      if (raw.complete) return clearInterval(timer)
      const came = raw.socket.bytesRead - before
      before += came
      // A destination that reads slowly leaves something here to be read.
      if (raw.readableLength === 0 && came < MIN_PROGRESS_BYTES) waited += CHECK_INTERVAL_MS
      if (waited < SLOW_UPLOAD_TIMEOUT_MS || !this.#gate.isWaitedFor) return
      clearInterval(timer)
      giveUp()
    }, CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }
}

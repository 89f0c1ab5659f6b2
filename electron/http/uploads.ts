import type { FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { Gate } from './gate.ts'

/** A body longer than this waits for an upload slot (rule R-03). */
export const LARGE_BODY_BYTES = 64 * 1024

/** How long a client may send slowly while others wait for a slot. */
const SLOW_UPLOAD_TIMEOUT_MS = 3000
const CHECK_INTERVAL_MS = 500
/** A client that sends at least this many bytes between two checks does not count as slow. */
const MIN_PROGRESS_BYTES = 64 * 1024

export function isLarge(body: unknown): boolean {
  return Buffer.isBuffer(body) && body.length > LARGE_BODY_BYTES
}

function mayBeLarge({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BODY_BYTES
  )
}

export type UploadSlot = {
  /** Waits for a slot. Called once the body has proved large. */
  acquire(): Promise<void>
  /** Rejects with `timeout` if the client sends too slowly while others wait for a slot. */
  readonly timedOut: Promise<never>
}

/**
 * Limits how many large bodies are received at the same time (rule R-03). SECURITY: a body gets a slot only once it has
 * proved large, and loses it if its client stalls while others wait (case X-08).
 */
export class UploadSlots {
  readonly #gate: Gate

  constructor(limit: number) {
    this.#gate = new Gate(limit)
  }

  /** The slot for the body of a request; null if the body is small. */
  createSlot(request: FastifyRequest, reply: FastifyReply): UploadSlot | null {
    if (!mayBeLarge(request)) return null
    let giveUp: (error: CofferError) => void = () => {}
    const timedOut = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    // If the call ends first, nothing else handles this rejection.
    timedOut.catch(() => {})
    const acquire = async () => {
      const release = await this.#gate.acquire()
      if (request.raw.destroyed || reply.raw.destroyed) return release()
      const stop = this.#watchProgress(request, () => {
        // The rest of the body is not read, so the connection cannot be used for another request.
        reply.header('Connection', 'close')
        giveUp(new CofferError('timeout', 'The body arrived too slowly while other calls were waiting.'))
      })
      reply.raw.once('close', () => {
        stop()
        release()
      })
    }
    return { acquire, timedOut }
  }

  /** Calls `giveUp` if the client sends too slowly. Returns a function that stops watching. */
  #watchProgress({ raw }: FastifyRequest, giveUp: () => void): () => void {
    let waited = 0
    let before = raw.socket.bytesRead
    const timer = setInterval(() => {
      if (raw.complete) return clearInterval(timer)
      const received = raw.socket.bytesRead - before
      before += received
      // Unread data means that the destination reads slowly, not that the client stalls.
      if (raw.readableLength === 0 && received < MIN_PROGRESS_BYTES) waited += CHECK_INTERVAL_MS
      if (waited < SLOW_UPLOAD_TIMEOUT_MS || !this.#gate.isWaitedFor) return
      clearInterval(timer)
      giveUp()
    }, CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { Gate } from './gate.ts'

/** Bodies of more bytes than this are large. */
export const LARGE = 64 * 1024

/** How long a client may keep others waiting by sending little. */
const PATIENCE_MS = 3000
const LOOK_MS = 500
/** A client that sends this much between two looks keeps nobody waiting. */
const ENOUGH = 64 * 1024

/** Whether a body that was received is large. */
export function isLarge(body: Buffer | undefined): boolean {
  return body !== undefined && body.length > LARGE
}

/** Whether a body may turn out to be large. */
function mayBeLarge({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE
}

/** The place of one large body. */
export type Upload = {
  /** Waits for a place. To be called once enough of the body has come. */
  enter(): Promise<void>
  /** Rejects with `timeout` if the client sends too slowly while others wait for a place. */
  readonly late: Promise<never>
}

/**
 * Bounds how many large bodies are held at the same time (rule R-03). SECURITY: a body that has only begun has
 * no place yet, and one whose client does not go on gives its place up as soon as others wait (case X-08).
 */
export class Uploads {
  readonly #gate: Gate

  /** At most so many are received, or on their way, at the same time. */
  constructor(most: number) {
    this.#gate = new Gate(most)
  }

  /** The place of the body of a request; null if the body is short. */
  of(request: FastifyRequest, reply: FastifyReply): Upload | null {
    if (!mayBeLarge(request)) return null
    let giveUp: (error: CofferError) => void = () => {}
    const late = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    // The call may have ended before.
    late.catch(() => {})
    const enter = async () => {
      const leave = await this.#gate.enter()
      if (request.raw.destroyed || reply.raw.destroyed) return leave()
      const stop = this.#watch(request, () => {
        // What is left of the body is not waited for.
        reply.header('Connection', 'close')
        giveUp(new CofferError('timeout', 'The body took too long to arrive, and other calls waited.'))
      })
      reply.raw.once('close', () => {
        stop()
        leave()
      })
    }
    return { enter, late }
  }

  /** Looks whether the client sends less than may be waited for. Returns what ends that. */
  #watch({ raw }: FastifyRequest, giveUp: () => void): () => void {
    let waited = 0
    let before = raw.socket.bytesRead
    const looking = setInterval(() => {
      if (raw.complete) return clearInterval(looking)
      const came = raw.socket.bytesRead - before
      before += came
      // A destination that reads slowly leaves something here to be read.
      if (raw.readableLength === 0 && came < ENOUGH) waited += LOOK_MS
      if (waited < PATIENCE_MS || !this.#gate.isWaitedFor) return
      clearInterval(looking)
      giveUp()
    }, LOOK_MS)
    return () => clearInterval(looking)
  }
}

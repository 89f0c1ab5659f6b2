import type { FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { Gate } from './gate.ts'
import { mayBeLarge } from './large-bodies.ts'

/**
 * How many large bodies may be received, or be on their way, at the same time. They wait for destinations, so that
 * those of other operations do not wait behind them (rule R-03).
 */
const MOST = 32

/** How long an upload may keep others waiting for what its client does not send. */
const PATIENCE_MS = 3000
const LOOK_MS = 500

/** The place of one large body. */
export type Upload = {
  /** Waits for a place. To be called once enough of the body has come. */
  enter(): Promise<void>
  /** Rejects with `timeout` if the client sends too slowly while others wait for a place. */
  readonly late: Promise<never>
}

/**
 * Bounds how many large bodies of calls are held at the same time (rule R-03). SECURITY: a body that has only begun has
 * no place yet, and one whose client does not go on gives its place up as soon as others wait (case X-08).
 */
export class Uploads {
  readonly #gate = new Gate(MOST)

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

  /** Looks whether the client is slower than what reads its body. Returns what ends that. */
  #watch({ raw }: FastifyRequest, giveUp: () => void): () => void {
    let waited = 0
    const looking = setInterval(() => {
      if (raw.complete) return clearInterval(looking)
      // A destination that reads slowly leaves something here to be read.
      if (raw.readableLength === 0) waited += LOOK_MS
      if (waited < PATIENCE_MS || !this.#gate.isWaitedFor) return
      clearInterval(looking)
      giveUp()
    }, LOOK_MS)
    return () => clearInterval(looking)
  }
}

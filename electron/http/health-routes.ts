import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { unlocked } from '../engine/door/locked.ts'
import type { Engine } from '../engine/engine.ts'
import { sendError } from './failures.ts'

/**
 * Adds the routes for programs that watch Coffer. Neither needs a key: `health` says that the listener answers, and
 * `ready` that the vault is open and can be read and written, or 503 with the reason.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  engine: () => Engine | null,
  refusalOf: (error: unknown, request: FastifyRequest) => CofferError,
): void {
  app.get('/_coffer/health', () => ({ status: 'ok' }))
  app.get('/_coffer/ready', (request, reply) => {
    try {
      unlocked(engine()).assertAnswers()
      return { status: 'ready' }
    } catch (error) {
      const { message } = refusalOf(error, request)
      return sendError(reply, new CofferError('unavailable', message, { cause: error }))
    }
  })
}

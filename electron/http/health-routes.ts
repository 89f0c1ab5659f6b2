import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CofferError, type ErrorCode } from '../../shared/errors.ts'
import { type Engine, requireUnlocked } from '../engine/index.ts'
import { sendError } from './failures.ts'

/**
 * Adds the routes for health checks, which need no key. `health` confirms that the listener responds, that the vault's
 * files exist, and that their disk accepts writes; `ready` also confirms that the vault is open. On failure they
 * respond 503 with the reason (case X-71).
 */
export function addHealthRoutes(
  app: FastifyInstance,
  engine: () => Engine | null,
  toResponseError: (error: unknown, request: FastifyRequest) => CofferError,
): void {
  const addRoute = (path: string, status: string, check: () => void, mayBe?: ErrorCode) =>
    app.get(path, (request, reply) => {
      try {
        check()
        return { status }
      } catch (error) {
        const { code, message } = toResponseError(error, request)
        if (code === mayBe) return { status }
        return sendError(reply, new CofferError('unavailable', message, { cause: error }))
      }
    })
  // A locked vault counts as healthy.
  addRoute('/_coffer/health', 'ok', () => engine()?.assertResponsive(), 'locked')
  addRoute('/_coffer/ready', 'ready', () => requireUnlocked(engine()).assertResponsive())
}

import type { FastifyInstance } from 'fastify'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import type { Guard } from '../guard.ts'
import { findElementsPage } from './page-of.ts'

/**
 * Adds the routes that frames need in addition to the API and that require no key. Also records which pages use
 * Elements.
 */
export function addFrameRoutes(app: FastifyInstance, engine: () => Engine | null, guard: () => Guard): void {
  // Lets frames detect references created before the vault was last locked.
  app.get('/elements/opening', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(requireUnlocked(engine()).opening),
  )
  // Tells whether a public key belongs to the vault. SECURITY: the caller must already know the key, and learns
  // nothing else.
  app.get('/elements/key', async (request, reply) => {
    const { kid, x } = request.query as Record<string, unknown>
    const isOwn =
      typeof kid === 'string' &&
      typeof x === 'string' &&
      requireUnlocked(engine()).identification.hasClientKey(kid, x)
    return reply.code(isOwn ? 204 : 404).send()
  })
  // Recorded after the response, so that it does not delay the response.
  app.addHook('onResponse', (request, _reply, done) => {
    const { caller, headers } = request
    const page = headers['bt-elements-origin'] === undefined ? null : findElementsPage(headers, guard())
    if (caller && page !== null) engine()?.identification.recordElementUse(caller, page)
    done()
  })
}

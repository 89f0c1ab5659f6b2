import type { FastifyInstance } from 'fastify'
import type { Engine } from '../../engine/engine.ts'
import { requireUnlocked } from '../../engine/pipeline/locked.ts'
import type { Guard } from '../guard.ts'
import { findElementsPage } from './page-of.ts'

/** What the frames of elements ask besides the interface, without a key, and who uses them. */
export function addFrameRoutes(app: FastifyInstance, engine: () => Engine | null, guard: () => Guard): void {
  // Tells references from those made before the vault was last locked.
  app.get('/elements/opening', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(requireUnlocked(engine()).opening),
  )
  // Whether a public key is one of the vault's. SECURITY: for whoever has the key already; nothing else is told.
  app.get('/elements/key', async (request, reply) => {
    const { kid, x } = request.query as Record<string, unknown>
    const isOwn =
      typeof kid === 'string' && typeof x === 'string' && requireUnlocked(engine()).hasClientKey(kid, x)
    return reply.code(isOwn ? 204 : 404).send()
  })
  // After the answer, so that nobody waits for it.
  app.addHook('onResponse', (request, _reply, done) => {
    const { caller, headers } = request
    const page = headers['bt-elements-origin'] === undefined ? null : findElementsPage(headers, guard())
    if (caller && page !== null) engine()?.recordElementUse(caller, page)
    done()
  })
}

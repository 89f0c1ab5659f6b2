import type { FastifyInstance } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import type { Guard } from '../guard.ts'
import { getOwnOrigin } from '../own-origin.ts'
import { findFrameScriptName, readFrameScript } from './built-scripts.ts'
import { createFramePage } from './frame-page.ts'
import { findElementsPage } from './page-of.ts'
import { addScriptRoutes, forAnyPage, notBuilt } from './script-routes.ts'

type ElementsRouteDeps = {
  readonly guard: () => Guard
  /** The hosts beyond this machine that the owner currently allows. */
  readonly destinations: () => readonly string[]
}

/** Adds the routes of Elements: the scripts for pages, the documents of frames and their script. None needs a key. */
export function addElementsRoutes(app: FastifyInstance, { guard, destinations }: ElementsRouteDeps): void {
  addScriptRoutes(app)
  for (const [path, isData] of [
    ['/elements/frame', false],
    ['/elements/data', true],
  ] as const) {
    app.get(path, forAnyPage, (request, reply) => {
      const script = findFrameScriptName()
      if (script === null) throw new CofferError('not_found', notBuilt)
      const { status, headers, html } = createFramePage({
        own: getOwnOrigin(request.raw),
        page: new URL(request.url, 'http://localhost').searchParams.get('origin') ?? '',
        allowed: guard().origins,
        script,
        destinations: isData ? destinations() : null,
      })
      return reply.code(status).headers(headers).send(html)
    })
  }
  app.get('/elements/assets/:name', (request, reply) => {
    const text = readFrameScript((request.params as { name: string }).name)
    if (text === null) throw new CofferError('not_found', 'This script does not exist.')
    return reply
      .headers({
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'same-origin',
      })
      .send(text)
  })
}

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
    const { caller, raw } = request
    const page = raw.headers['bt-elements-origin'] === undefined ? null : findElementsPage(raw, guard())
    if (caller && page !== null) engine()?.identification.recordElementUse(caller, page)
    done()
  })
}

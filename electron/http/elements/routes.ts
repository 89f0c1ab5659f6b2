import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import type { Guard } from '../guard.ts'
import { getOwnOrigin } from '../own-origin.ts'
import { createFramePage } from './frame-page.ts'
import { findElementsPage } from './page-of.ts'

type ElementsRouteDeps = {
  readonly guard: () => Guard
  /** The hosts beyond this machine that the owner currently allows. */
  readonly destinations: () => readonly string[]
}

/** The paths of the page's script: the one for a script tag, and those from which the official packages load it. */
const clientPaths = [
  '/elements',
  '/elements.js',
  '/elements/client.js',
  '/elements/client/index.js',
  '/web-elements/:version/client/index.js',
]

/** Any page may load these resources, like any public script, because they contain no vault data. */
const config = { anyPage: true }

const notBuilt = 'Elements have not been built yet. Run: npm run build'

/** Adds the routes of Elements: the script for pages, the documents of frames and their script. None needs a key. */
export function addElementsRoutes(app: FastifyInstance, { guard, destinations }: ElementsRouteDeps): void {
  for (const path of clientPaths) app.get(path, { config }, sendClient)
  for (const [path, isData] of [
    ['/elements/frame', false],
    ['/elements/data', true],
  ] as const) {
    app.get(path, { config }, (request, reply) => {
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
    const text = readAsset((request.params as { name: string }).name)
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

function sendClient(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const script = readClientScript(getOwnOrigin(request.raw))
  if (script === null) throw new CofferError('not_found', notBuilt)
  reply.headers({
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': 'no-cache',
    ETag: script.etag,
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Timing-Allow-Origin': '*',
  })
  if (request.headers['if-none-match'] === script.etag) return reply.code(304).send()
  return reply.send(script.text)
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

/**
 * The folder of the built scripts: next to the bundles in `out/`, or below the root of a checkout that runs from its
 * sources.
 */
const folder = path.join(
  import.meta.dirname,
  ...(import.meta.filename.endsWith('.ts') ? ['..', '..', '..', 'out'] : ['..']),
  'elements',
)

type Script = { readonly text: string; readonly etag: string }

/** The placeholder for the listener's origin in the built script. */
const ORIGIN = 'COFFER_ORIGIN'

/** Returns the page's script with the listener's origin inserted; null if the scripts have not been built. */
function readClientScript(origin: string): Script | null {
  const text = readBuiltFile('client', 'client.js')
  if (text === null) return null
  const own = text.replaceAll(ORIGIN, JSON.stringify(origin))
  return { text: own, etag: `"${createHash('sha256').update(own).digest('base64url').slice(0, 22)}"` }
}

/** Returns the name of the frames' script, which changes with its content; null if the scripts have not been built. */
function findFrameScriptName(): string | null {
  const names = fs.existsSync(path.join(folder, 'frame')) ? fs.readdirSync(path.join(folder, 'frame')) : []
  return names.find((name) => hashed.test(name)) ?? null
}

function readAsset(name: string): string | null {
  // SECURITY: the pattern excludes paths.
  return hashed.test(name) ? readBuiltFile('frame', name) : null
}

const hashed = /^frame-[\w-]{8,}\.js$/

function readBuiltFile(...names: string[]): string | null {
  const file = path.join(folder, ...names)
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
}

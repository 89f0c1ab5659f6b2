import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import type { Guard } from '../guard.ts'
import { findFrameScriptName, readAsset, readClientScript } from './bundle.ts'
import { createFramePage } from './frame-page.ts'

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
        own: `http://${request.headers.host}`,
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
  const script = readClientScript(`http://${request.headers.host}`)
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

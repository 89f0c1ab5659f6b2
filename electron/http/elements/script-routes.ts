import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import { getOwnOrigin } from '../own-origin.ts'
import { type PageScriptName, readPageScript } from './built-scripts.ts'

/** Any page may load these resources, like any public script, because they contain no vault data. */
export const forAnyPage = { config: { anyPage: true } }

export const notBuilt = 'The scripts for pages have not been built yet. Run: npm run build'

/** The paths of the page's script: the one for a script tag, and those from which the official packages load it. */
const clientPaths = [
  '/elements',
  '/elements.js',
  '/elements/client.js',
  '/elements/client/index.js',
  '/web-elements/:version/client/index.js',
]

/** The paths of the script for 3D Secure: the hosted service names its version in several ways. */
const threeDsPaths = ['/web-threeds/index.js', '/web-threeds/v0/index.js', '/web-threeds/v0.1/index.js']

/** The version in the script tag that Coffer writes for pages that name none. */
const NEWEST_VERSION = '2.17.0'

/** Adds the routes of the scripts that pages of other sites load by script tags (rule N-01). */
export function addScriptRoutes(app: FastifyInstance): void {
  for (const path of clientPaths) app.get(path, forAnyPage, (...call) => sendScript('client', ...call))
  for (const path of threeDsPaths) app.get(path, forAnyPage, (...call) => sendScript('three-ds', ...call))
  app.get<{ Params: { version: string } }>(
    '/web-elements/:version/index.js',
    forAnyPage,
    (request, reply) => {
      requireKnownVersion(request.params.version)
      return sendScript('client', request, reply)
    },
  )
  app.get<{ Querystring: { version?: unknown } }>('/sri', forAnyPage, (request, reply) => {
    const version = requireKnownVersion(request.query.version || NEWEST_VERSION)
    const source = `${getOwnOrigin(request.raw)}/web-elements/${version}/index.js`
    // The tag of the hosted service has an `integrity` attribute, which fits only its own script.
    const html = `<script src="${source}" crossorigin="anonymous"></script>`
    return reply.headers(publicHeaders).send({ version, html })
  })
}

const publicHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Timing-Allow-Origin': '*',
}

/** SECURITY: the pattern leaves out every character that has a meaning in HTML. */
function requireKnownVersion(version: unknown): string {
  if (typeof version === 'string' && /^[12](\.\d{1,4}){1,2}(-[\w.]{1,30})?$/.test(version)) return version
  throw new CofferError(
    'not_found',
    'Coffer has no script for this version of Elements. Use a version that begins with 1. or 2.',
  )
}

function sendScript(name: PageScriptName, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const script = readPageScript(name, getOwnOrigin(request.raw))
  if (script === null) throw new CofferError('not_found', notBuilt)
  reply.headers({
    ...publicHeaders,
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': 'no-cache',
    ETag: script.etag,
  })
  if (request.headers['if-none-match'] === script.etag) return reply.code(304).send()
  return reply.send(script.text)
}

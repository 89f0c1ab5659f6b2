import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import type { Reply } from '../../shared/client.ts'
import { CofferError, createInvalidError } from '../../shared/errors.ts'
import type { HostEvent } from '../../shared/host/events.ts'
import { MAX_CALL_BYTES } from '../../shared/host/window-call.ts'
import { z } from '../../shared/zod.ts'
import { type Engine, isIncident, type ReportIncident } from '../engine/index.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { checkType, parseBytes } from './body.ts'
import { rejectBrokenRequest, skipRejected } from './broken-request.ts'
import { Connections, markIdentified, serverOptions } from './connections.ts'
import { ConsoleSessions } from './console-sessions.ts'
import { ConsoleStreams } from './console-streams.ts'
import { sendError, toErrorFromFastify } from './failures.ts'
import { type Guard, guardRequest, listAllowedHosts } from './guard.ts'
import { noSchemas } from './no-schemas.ts'
import { loadPage } from './page.ts'
import { RateLimiter } from './rate-limit.ts'

export type ConsoleOptions = {
  readonly port: number
  readonly folder: string
  readonly run: (call: unknown) => Promise<Reply>
  readonly subscribe: (subscriber: (event: HostEvent) => void) => () => void
  readonly now?: () => number
  /**
   * Receives a fresh link when a page that is not signed in sends a request, for a host without a terminal in which
   * the owner could press Enter. SECURITY: the page itself does not get the link.
   */
  readonly onSignedOut?: ((link: string) => void) | undefined
  readonly connections?: Connections
  readonly report?: ReportIncident
  /** The open vault, whose rate limits apply here too; null while it is locked. */
  readonly engine: () => Engine | null
}

export type Console = {
  /** The URL of the console, such as `http://127.0.0.1:4748/console/`. */
  readonly url: string
  /** Returns a fresh link that opens the console once. */
  launchLink(): string
  close(): Promise<void>
}

const PAGE = '/console'
const API = '/_coffer/console'
const LAUNCH_LIMIT = 1024
/** The response header for a page whose session ended because Coffer restarted. */
const RESTARTED = 'Coffer-Restarted'

const signIn = 'This page is not signed in, or its session has ended.'
const restarted = 'Coffer was restarted, so this page was signed out.'
const badLink = 'This link has already been used, is older than ten minutes or is incomplete.'
const inTerminal = 'Press Enter in the terminal where Coffer runs, and open the fresh link it prints.'
const inLog = 'Open the fresh link that Coffer wrote to its log (the log of the service or container).'
/** The minimum time between two fresh links in the log, in ms, however many pages request one. */
const LINK_PAUSE_MS = 30_000

/**
 * Serves the window to a browser: the built page, and its transport over HTTP. It has a separate port, so that the
 * window can close or move the listener. Rejects with `conflict` if the port is taken.
 */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const sessions = new ConsoleSessions(options.now ?? Date.now)
  const streams = new ConsoleStreams((session) => sessions.isAlive(session))
  let guard: Guard = { hosts: new Set(), origins: new Set(), strict: true }
  // A vault that lost its files fails every call with 503, and its owner reopens it from the console.
  const getEngine = () => {
    const open = options.engine()
    return open?.lifecycle.isLost ? null : open
  }
  const app = newServer(() => guard, new RateLimiter(getEngine), options.report)
  addPage(app, options.folder)
  let linkAfter = 0
  const createLaunchLink = () => `http://127.0.0.1:${getPort(app)}${PAGE}/#launch=${sessions.newLaunch()}`
  const describeLinkPlace = () => {
    if (!options.onSignedOut) return inTerminal
    const now = performance.now()
    if (now >= linkAfter) {
      linkAfter = now + LINK_PAUSE_MS
      options.onSignedOut(createLaunchLink())
    }
    return inLog
  }
  addTransport(app, { sessions, streams, run: options.run, where: describeLinkPlace })
  try {
    // SECURITY: loopback only; no option changes this.
    await app.listen({ host: '127.0.0.1', port: options.port })
  } catch (error) {
    streams.close()
    await app.close()
    throw new CofferError('conflict', `Port ${options.port} is taken.`, { cause: error })
  }
  const { connections = new Connections() } = options
  connections.limitServer(app.server)
  const port = getPort(app)
  guard = { hosts: listAllowedHosts(port, []), origins: new Set(), strict: true }
  const unsubscribe = options.subscribe((event) => streams.sendEvent(event))
  const url = `http://127.0.0.1:${port}${PAGE}/`
  return {
    url,
    // SECURITY: the token is in the URL's fragment, which browsers never send to a server.
    launchLink: createLaunchLink,
    async close() {
      unsubscribe()
      streams.close()
      await app.close()
    },
  }
}

function newServer(guard: () => Guard, limiter: RateLimiter, report?: ReportIncident): FastifyInstance {
  const allowed = new AllowedMethods()
  const app = Fastify({
    logger: false,
    bodyLimit: MAX_CALL_BYTES,
    http: serverOptions,
    exposeHeadRoutes: true,
    schemaController: noSchemas,
    forceCloseConnections: true,
    clientErrorHandler: rejectBrokenRequest,
    // A path that cannot be decoded is handled here without passing any hook.
    frameworkErrors: (_error, { raw }, reply) => sendError(reply, allowed.createErrorAt(getPath(raw))),
  })
  app.addHook('onRoute', ({ method, url }) => allowed.addRoute(method, url))
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('Cache-Control', 'no-store')
    try {
      guardRequest(request.raw, guard())
      // The route is compared, not the raw path, because a percent-encoded path would still match the route.
      if (request.routeOptions.url?.startsWith(API)) {
        guardCall(request)
        limiter.countRequest(request.raw.socket.remoteAddress ?? '', ['all', 'console'])
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  skipRejected(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, { method, routeOptions }, reply) => {
    const rejection = toErrorFromFastify(error, routeOptions.bodyLimit ?? MAX_CALL_BYTES)
    if (isIncident(rejection)) report?.(rejection, `console: ${method} ${routeOptions.url ?? 'unknown path'}`)
    return sendError(reply, rejection)
  })
  app.setNotFoundHandler(({ raw }, reply) => sendError(reply, allowed.createErrorAt(getPath(raw))))
  return app
}

function addPage(app: FastifyInstance, folder: string): void {
  app.get('/', (_request, reply) => reply.redirect(`${PAGE}/`))
  app.get(PAGE, (_request, reply) => reply.redirect(`${PAGE}/`))
  app.get(`${PAGE}/*`, async (request, reply) => {
    const { status, headers, body } = await loadPage(folder, getPath(request.raw).slice(PAGE.length))
    return reply.code(status).headers(headers).send(body)
  })
}

type ConsoleTransport = Pick<ConsoleOptions, 'run'> & {
  readonly sessions: ConsoleSessions
  readonly streams: ConsoleStreams
  /** Returns a sentence that says where to find a fresh link. */
  readonly where: () => string
}

/** Adds calls and events, for a browser that has signed in with a launch link. */
function addTransport(app: FastifyInstance, { sessions, streams, run, where }: ConsoleTransport): void {
  const getCookieName = () => `coffer_console_${getPort(app)}`
  const requireSession = (request: FastifyRequest, reply: FastifyReply) => {
    const cookie = findCookie(request.headers, getCookieName())
    const session = sessions.touchSession(cookie)
    if (session !== undefined) return session
    const isOfAnother = sessions.isOfAnother(cookie)
    if (isOfAnother) reply.header(RESTARTED, 'true')
    throw new CofferError('unauthenticated', `${isOfAnother ? restarted : signIn} ${where()}`)
  }
  const setCookie = (reply: FastifyReply, value: string, more = '') =>
    reply.header('Set-Cookie', `${getCookieName()}=${value}; Path=${API}; HttpOnly; SameSite=Strict${more}`)

  // Runs before the body is read, so that a page that is not signed in gets little time (case X-66).
  const onRequest: onRequestHookHandler = (request, reply, done) => {
    try {
      requireSession(request, reply)
      markIdentified(request.raw)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  app.post(`${API}/launch`, { bodyLimit: LAUNCH_LIMIT }, (request, reply) => {
    const { data } = launchBody.safeParse(readJsonBody(request))
    if (!data) throw createInvalidError('token', 'is required')
    const session = sessions.startSession(data.token)
    if (session === undefined) throw new CofferError('unauthenticated', `${badLink} ${where()}`)
    return setCookie(reply, session).send({})
  })
  app.post(`${API}/call`, { onRequest }, async (request, reply) =>
    reply.send(await run(readJsonBody(request))),
  )
  app.post(`${API}/logout`, { onRequest }, (request, reply) => {
    const session = requireSession(request, reply)
    sessions.endSession(session)
    streams.endSession(session)
    return setCookie(reply, '', '; Max-Age=0').send({})
  })
  app.get(`${API}/events`, { exposeHeadRoute: false, onRequest }, (request, reply) => {
    const session = requireSession(request, reply)
    reply.hijack()
    reply.raw.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    streams.addStream(session, reply.raw)
  })
}

const launchBody = z.strictObject({ token: z.string().max(200) })

function getPort(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port
}

/**
 * SECURITY: the cookie alone is not enough. Browsers store cookies per host, not per port, so a page of another
 * program on this machine counts as "same site". Every change must come from this exact origin.
 */
function guardCall({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  const own = headers.origin === `http://${headers.host}`
  if ((site === undefined || site === 'same-origin') && (own || method === 'GET')) return
  throw new CofferError('forbidden', 'Only the page of this console may do this.')
}

function readJsonBody(request: FastifyRequest): unknown {
  checkType('POST', request.headers['content-type'])
  if (!(request.body instanceof Buffer)) throw new CofferError('invalid', 'The request needs a JSON body.')
  return parseBytes(request.body)
}

function findCookie(headers: IncomingHttpHeaders, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([key]) => key === name)?.[1]
}

function getPath({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string
}

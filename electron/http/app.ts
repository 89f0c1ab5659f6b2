import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { toCofferError } from '../engine/db/storage-error.ts'
import type { Answer, Caller, CallInfo } from '../engine/door/call.ts'
import type { EarlyAnswer } from '../engine/door/call-record.ts'
import { isIncident, type Report } from '../engine/door/incident.ts'
import { unlocked } from '../engine/door/locked.ts'
import type { Engine } from '../engine/engine.ts'
import type { RunAnswer } from '../engine/reactors/answer.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { type Answered, Answers } from './answered.ts'
import { bodyLimit, readBody } from './body.ts'
import { answerBrokenRequest, skipRefused } from './broken-request.ts'
import type { RunsCode } from './code.ts'
import { connectionLimits, identify } from './connections.ts'
import { docsPage } from './docs/page.ts'
import { addDocumentRoutes } from './documents/routes.ts'
import { addFrameRoutes } from './elements/frame-routes.ts'
import { refuseFormerPage } from './elements/page-of.ts'
import { addElementsRoutes } from './elements/routes.ts'
import { fromFastify, sendError } from './failures.ts'
import type { Faults } from './faults.ts'
import { isReadByPerson, jsonFor, readableAnswer } from './for-people.ts'
import { type Guard, guardRequest } from './guard.ts'
import { addHealthRoutes } from './health-routes.ts'
import { callerOf, keyOf, prefixedHeader } from './keys.ts'
import { LargeBodies } from './large-bodies.ts'
import { noSchemas } from './no-schemas.ts'
import { notBuilt } from './not-built.ts'
import { openApi } from './openapi.ts'
import { sendProxyError } from './proxy/errors.ts'
import { addProxyRoutes, isOfProxy } from './proxy/routes.ts'
import { readQuery } from './query.ts'
import { RateLimiter, scopesOfRoute } from './rate-limit.ts'
import { factsOf } from './request-facts.ts'
import { fixedPathsBeside, inputOf, type Route, routes } from './routes.ts'
import { sendRun } from './run-answer.ts'
import type { Sandbox } from './sandbox.ts'
import { addSandboxRoutes } from './sandbox-routes.ts'
import { signalOf } from './signal.ts'
import { isPageOfThreeDs } from './three-ds/paths.ts'
import { addThreeDsPages } from './three-ds/routes.ts'
import { toldRequest } from './told-request.ts'
import { underFault } from './under-fault.ts'
import { isLarge } from './uploads.ts'

export type AppOptions = {
  /** The open vault, or null while it is locked. */
  readonly engine: () => Engine | null
  /** Called for every request: the port is known only once the listener is open, and origins and hosts may change. */
  readonly guard: () => Guard
  /** What tests may do with the open vault. */
  readonly sandbox?: Sandbox | undefined
  /** The way out for proxies. */
  readonly outbound: Outbound
  readonly code: RunsCode
  /** Called with each incident. */
  readonly report?: Report | undefined
  /** Called once for each request, after its answer. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => void
/** Turns what a request threw into the refusal to send, and reports internal failures. */
type RefusalOf = (error: unknown, request: FastifyRequest) => CofferError

/** Builds the HTTP interface of the engine: guard, key, JSON, route, answer. It does not listen yet. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { engine, guard, sandbox, outbound, code, report, onAnswered } = options
  const limiter = new RateLimiter(engine)
  const refusalOf: RefusalOf = (error, { method, routeOptions, trace_id }) => {
    const refusal = fromFastify(error, routeOptions.bodyLimit ?? bodyLimit)
    if (isIncident(refusal)) report?.(refusal, `${method} ${routeOptions.url ?? 'unknown path'}`, trace_id)
    return refusal
  }
  const admitted: Admit = (request, reply) => admit(request, reply, guard(), limiter)
  const allowed = new AllowedMethods()
  const answers = onAnswered && new Answers(onAnswered)
  const app = newServer((request, reply) => {
    answers?.follow(request, reply)
    admitted(request, reply)
  })
  // Otherwise Fastify answers 400 to a QUERY before it looks up the path.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  app.addHook('onRoute', (route) => {
    // One route for both methods: adding routes is a good part of a start (rule A-04).
    if (route.method === 'GET') route.method = ['GET', 'HEAD']
    // The route for preflights is not a method of any path.
    if (route.url !== '*') allowed.add(route.method, route.url)
  })
  answers?.addTo(app)
  app.addHook('onRequest', (request, reply, done) => {
    try {
      // What the routes outside the catalogue answer.
      if (isReadByPerson(request)) reply.serializer(readableAnswer)
      admitted(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  app.decorateRequest('trace_id', '')
  app.decorateRequest('unrecorded', false)
  rememberCallers(app)
  skipRefused(app)
  tellRequests(app, engine)
  answerAllowedPages(app, guard)

  const large = new LargeBodies()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => sendError(reply, refusalOf(error, request)))
  app.setNotFoundHandler((request, reply) => {
    const refusal = unknownRoute(request, allowed)
    return isOfProxy(pathOf(request)) ? sendProxyError(reply, refusal) : sendError(reply, refusal)
  })

  addPublicRoutes(app, engine)
  addHealthRoutes(app, engine, refusalOf)
  addFrameRoutes(app, engine, guard)
  addElementsRoutes(app, { guard, destinations: () => outbound.allowed })
  // In a plugin, so that the routes are added after the hooks that guard them.
  app.register(async (scope) => {
    for (const route of routes)
      addRoute(scope, route, { engine, allowed, faults: sandbox?.faults, large, code, refusalOf })
    addProxyRoutes(scope, { engine, outbound, code, faults: sandbox?.faults, large, refusalOf, report })
    addThreeDsPages(scope, { engine, guard, refusalOf })
    addDocumentRoutes(scope, { engine, faults: sandbox?.faults, limiter, refusalOf })
    if (sandbox) addSandboxRoutes(scope, engine, sandbox)
  })
  if (sandbox) {
    app.addHook('preClose', (done) => {
      sandbox.faults.release()
      done()
    })
  }
  return app
}

function newServer(admitted: Admit): FastifyInstance {
  return Fastify({
    logger: false,
    bodyLimit,
    requestTimeout: 30_000,
    keepAliveTimeout: 30_000,
    http: connectionLimits,
    exposeHeadRoutes: false,
    // Pages with `useSameOriginApi` expect the interface below /api.
    rewriteUrl: ({ url = '' }) => (url.startsWith('/api/') ? url.slice('/api'.length) : url),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: connectionLimits.maxHeaderSize,
      // The only expressions in paths are our own; examining them takes longer than all else that routes do at start.
      allowUnsafeRegex: true,
    },
    schemaController: noSchemas,
    // A path that cannot be decoded gets here without passing any hook.
    frameworkErrors(error, request, reply) {
      try {
        admitted(request, reply)
        sendError(reply, fromFastify(error, bodyLimit))
      } catch (refusal) {
        sendError(reply, toCofferError(refusal))
      }
    },
    clientErrorHandler: answerBrokenRequest,
  })
}

function answerAllowedPages(app: FastifyInstance, guard: () => Guard): void {
  app.register(cors, {
    // SECURITY: no CORS header for a page that is not listed.
    origin: (origin, allow) => allow(null, origin !== undefined && guard().origins.has(origin)),
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'Location',
      'SVC-TRACE-ID',
      'BT-TRACE-ID',
      'Retry-After',
      'Deprecation',
      'Sunset',
      'Coffer-Fault',
      'BT-EXPOSE-RAW-PROXY-RESPONSE',
      'BT-PROXY-DESTINATION-STATUS',
      'SVC-PROXY-DESTINATION-STATUS',
    ],
    maxAge: 600,
    strictPreflight: false,
  })
}

/** Keeps who sends each request. Whoever is known has more time than others (case X-66). */
function rememberCallers(app: FastifyInstance): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.decorateRequest('caller', {
    getter() {
      return callers.get(this) ?? null
    },
    setter(caller) {
      if (!caller) return
      callers.set(this, caller)
      identify(this.raw)
    },
  })
}

/** Tells webhooks of a request with a valid key, once it has been answered (rule W-01). */
function tellRequests(app: FastifyInstance, engine: () => Engine | null): void {
  app.addHook('onResponse', (request, reply, done) => {
    const open = engine()
    if (open?.tells('http.request') && request.caller && !isOwn(request.routeOptions.url)) {
      open.tell(request.caller, 'http.request', toldRequest(request, reply), request.trace_id)
    }
    done()
  })
}

/** The routes that need no key. */
function addPublicRoutes(app: FastifyInstance, engine: () => Engine | null): void {
  app.get('/ping', (_request, reply) => reply.send())
  app.get('/.well-known/webhooks.v1.key', async (_request, reply) => {
    const keys = await unlocked(engine()).outbox.publicKeys()
    return reply.type('application/x-pem-file').send(keys)
  })
  app.get('/', (request, reply) => sendWelcome(reply.header('Vary', 'Accept'), request.headers))
  app.get('/openapi.json', ({ headers }) => openApi(`http://${headers.host}`))
  app.get('/docs', (request, reply) => {
    const { headers, html } = docsPage(`http://${request.headers.host}`)
    return reply.headers(headers).send(html)
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of every origin may ask for it. */
    anyPage?: boolean
  }
  interface FastifyRequest {
    trace_id: string
    /** The request has passed the guard but not reached the door, so nothing has recorded a refusal. */
    unrecorded: boolean
    /** The sender, once the key has been found valid. */
    caller: Caller | null
  }
}

/** The first steps of every request: response headers, trace id, guard, rate limits. */
function admit(request: FastifyRequest, reply: FastifyReply, guard: Guard, limiter: RateLimiter): void {
  reply.header('Cache-Control', 'no-store')
  reply.header('X-Content-Type-Options', 'nosniff')
  const { headers } = request
  request.trace_id = traceOf(request)
  reply.header('SVC-TRACE-ID', request.trace_id)
  if (headers['bt-api-key'] !== undefined || headers['bt-trace-id'] !== undefined) {
    reply.header('BT-TRACE-ID', request.trace_id)
  }
  // SECURITY: requests from foreign pages are not recorded, so that no page can fill the disk.
  const { url, config } = request.routeOptions
  guardRequest(
    request.raw,
    guard,
    config.anyPage ? 'elements' : isPageOfThreeDs(url) ? '3D Secure' : 'interface',
  )
  refuseFormerPage(headers, guard)
  request.unrecorded = true
  // Only the documented interface is rate-limited.
  if (isOwn(url) || url?.startsWith('/elements')) return
  const method = request.method === 'HEAD' ? 'GET' : request.method
  limiter.take(request.raw.socket.remoteAddress ?? '', scopesOfRoute(method, url))
}

/** Whether a route is Coffer's own: no part of the interface. */
function isOwn(url: string | undefined): boolean {
  return url?.startsWith('/_coffer/') === true
}

type Answering = {
  readonly engine: () => Engine | null
  readonly allowed: AllowedMethods
  readonly faults: Faults | undefined
  readonly large: LargeBodies
  readonly code: RunsCode
  readonly refusalOf: RefusalOf
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  { engine, allowed, faults, large, code, refusalOf }: Answering,
): void {
  const url = route.path.replace(/\{(\w+)\}/g, ':$1')
  const fixed = fixedPathsBeside(route)
  app.route({
    method: route.method,
    url,
    // The key is checked before the body is read.
    onRequest(request, reply, done) {
      try {
        const params = request.params as Record<string, string>
        // In `PUT /applications/key`, `key` matches as an id, but it is a fixed path.
        if (fixed.length > 0 && fixed.includes(filled(route.path, params))) {
          request.unrecorded = false
          throw allowed.refusalAt(pathOf(request))
        }
        addDeprecation(reply, route, params)
        request.caller = callerOf(request.headers, engine(), 'application')
        if (route.operation.bodyless && isEmpty(request)) delete request.raw.headers['content-type']
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    errorHandler(error, request, reply) {
      const refusal = refusalOf(error, request)
      sendError(reply, request.unrecorded ? recorded(request, route, engine(), refusal) : refusal)
    },
    // After the key was checked, so that a request without one takes nobody's place.
    preParsing: large.receive,
    async handler(request, reply) {
      const body = request.body as Buffer | undefined
      const answered = (note?: string) =>
        route.operation.runs
          ? runAnswer(request, reply, route, { engine, large, code }, note)
          : large.answer(body, () => answer(request, route, { engine, code }, note))
      const fault = faults?.pick(route.name)
      if (!faults || !fault) return send(reply, await answered())
      const steps = {
        call: () => answered(`fault ${fault.name}`),
        send: (given: Answer | RunAnswer) => send(reply, given),
        refused: (status: number, note: string) => recordRefusal(request, route, engine(), { status, note }),
      }
      return underFault(fault, reply, steps, faults)
    },
  })
}

/** The operations that may store code. */
const storesCode: ReadonlySet<string> = new Set(
  ['reactors', 'proxies'].flatMap((resource) =>
    ['create', 'update', 'patch'].map((each) => `${resource}.${each}`),
  ),
)

async function answer(
  request: FastifyRequest,
  route: Route,
  { engine, code }: Pick<Answering, 'engine' | 'code'>,
  note?: string,
): Promise<Answer> {
  const { input, info } = await received(request, route, engine, note)
  const { name } = route
  const caller = senderOf(request)
  const open = unlocked(engine())
  const given = await open.call(name, input, caller, info)
  if (storesCode.has(name)) {
    const { id: entity_id } = { ...(input as { id: string }), ...(given.output as { id: string }) }
    code.stored({ engine: open, name, input, caller, info, status: given.status, entity_id })
  }
  return given
}

/** The same for an operation that runs code: only what comes before the run is a turn of its own. */
async function runAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  { engine, large, code }: Pick<Answering, 'engine' | 'large' | 'code'>,
  note?: string,
): Promise<RunAnswer> {
  const { input, info } = await received(request, route, engine, note)
  const open = unlocked(engine())
  const given = await code.answer({
    engine: open,
    name: route.name,
    input,
    caller: senderOf(request),
    info,
    signal: signalOf(reply),
    first: (prepare) => large.answer(request.body as Buffer | undefined, prepare),
  })
  // SECURITY: nothing is answered for a vault that was locked meanwhile.
  unlocked(engine())
  return given
}

/** What a request gives its operation. */
async function received(
  request: FastifyRequest,
  route: Route,
  engine: () => Engine | null,
  note?: string,
): Promise<{ input: unknown; info: CallInfo }> {
  unlocked(engine())
  const { headers } = request
  // The route's method: a HEAD is handled as a GET (rule A-04).
  const { method } = route
  const body = readBody(route.operation, method, {
    contentType: headers['content-type'],
    encoding: headers['content-encoding'],
    bytes: request.body as Buffer | undefined,
  })
  // Reading a large body and answering it are turns of their own (rule R-03).
  if (isLarge(request.body as Buffer | undefined)) await turn()
  const at = request.raw.url?.indexOf('?') ?? -1
  const query = at < 0 ? {} : readQuery((request.raw.url as string).slice(at + 1))
  const params = request.params as Record<string, string>
  const input = inputOf(route, params, query, body)
  const key = method === 'GET' || method === 'DELETE' ? undefined : prefixedHeader(headers, 'idempotency-key')
  request.unrecorded = false
  const info: CallInfo = {
    trace_id: request.trace_id,
    dialect: keyOf(headers)?.dialect,
    base_url: `http://${headers.host}`,
    idempotency: key === undefined ? undefined : { key, method, path: filled(route.path, params) },
    note,
    http: factsOf(request),
    // A fault may change the answer, and the answer to a HEAD has no body.
    wants_text: note === undefined && wantedText(request),
  }
  return { input, info }
}

function send(reply: FastifyReply, given: Answer | RunAnswer): FastifyReply {
  if ('body' in given) return sendRun(reply, given)
  const { status, headers, output, text } = given
  reply.code(status).headers(headers)
  if (status === 204) return reply.send()
  return reply.type('application/json; charset=utf-8').send(text ?? jsonFor(reply.request, output))
}

/** The text that an answer brings; none to HEAD. */
function wantedText(request: FastifyRequest): boolean | 'readable' {
  if (request.method === 'HEAD') return false
  return isReadByPerson(request) ? 'readable' : true
}

/** The sender of a request, even if the key is not valid. */
function senderOf({ caller, headers }: FastifyRequest): Caller {
  return caller ?? { kind: 'key', key: keyOf(headers)?.key ?? '' }
}

/** Whether a request has no body, in which case its content type does not matter (rule A-09). */
function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Records a refusal and returns it, or `storage_full` if the log has no room left for it (case X-44). */
function recorded(
  request: FastifyRequest,
  route: Route,
  engine: Engine | null,
  refusal: CofferError,
): CofferError {
  try {
    recordRefusal(request, route, engine, refusal)
    return refusal
  } catch (error) {
    return toCofferError(error)
  }
}

function recordRefusal(
  request: FastifyRequest,
  { name }: Route,
  engine: Engine | null,
  refusal: CofferError | EarlyAnswer,
): void {
  const { trace_id, params } = request
  const info = { trace_id, http: factsOf(request), wants_text: wantedText(request) }
  engine?.refuse(name, senderOf(request), refusal, info, params)
}

function pathOf({ raw }: FastifyRequest): string {
  return (raw.url ?? '').split('?', 1)[0] as string
}

/** The request's trace id if it is printable and short, otherwise a new one (rule A-11). */
function traceOf({ headers }: FastifyRequest): string {
  const given = prefixedHeader(headers, 'trace-id')
  return given !== undefined && /^[\x21-\x7e]{1,200}$/.test(given) ? given : randomUUID()
}

/** A route's path with its parameters filled in, the same however the request spelled it. */
function filled(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** Adds the end date and the successor of a deprecated operation to the headers (rule L-06). */
function addDeprecation(reply: FastifyReply, { operation }: Route, params: Record<string, string>): void {
  if (!operation.deprecated) return
  const { since, sunset } = operation.deprecated
  const successor = filled(operation.deprecated.successor, params)
  reply.header('Deprecation', `@${Date.parse(since) / 1000}`)
  reply.header('Sunset', new Date(sunset).toUTCString())
  reply.header('Link', `<${successor}>; rel="successor-version"`)
}

/** Redirects a browser to the reference, and tells a program where it is (rule A-04). */
function sendWelcome(reply: FastifyReply, { accept = '', host }: IncomingHttpHeaders): FastifyReply {
  if (accept.includes('text/html')) return reply.redirect('/docs')
  const url = `http://${host}`
  return reply.send({
    name: 'Coffer',
    description: 'A local stand-in for a hosted tokenization service.',
    docs: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    health: `${url}/_coffer/health`,
    ready: `${url}/_coffer/ready`,
  })
}

/** 405 for a wrong method; otherwise 404, naming the area of the hosted service if the path belongs to one. */
function unknownRoute(request: FastifyRequest, allowed: AllowedMethods): CofferError {
  const path = pathOf(request)
  const refusal = allowed.refusalAt(path)
  const area = refusal.code === 'not_found' ? notBuilt(path) : null
  if (area === null) return refusal
  return new CofferError('not_found', `This operation is not part of this version of Coffer: ${area}.`)
}

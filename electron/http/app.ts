import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import {
  type Caller,
  type CallInfo,
  type CallResult,
  type EarlyResult,
  type Engine,
  isIncident,
  type ReportIncident,
  type RunResponse,
  requireUnlocked,
  toCofferError,
} from '../engine/index.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { BODY_LIMIT, readBody } from './body.ts'
import { rejectBrokenRequest, skipRejected } from './broken-request.ts'
import type { CodeRunner } from './code.ts'
import { connectionLimits, markIdentified } from './connections.ts'
import { addDocsRoutes } from './docs/routes.ts'
import { addDocumentRoutes } from './documents/routes.ts'
import { addFrameRoutes } from './elements/frame-routes.ts'
import { rejectFormerPage } from './elements/page-of.ts'
import { addElementsRoutes } from './elements/routes.ts'
import { sendError, toErrorFromFastify } from './failures.ts'
import type { Faults } from './faults.ts'
import { formatJsonFor, isReadByPerson, toReadableText } from './for-people.ts'
import { type Guard, guardRequest } from './guard.ts'
import { findKey, findPrefixedHeader, identifyCaller } from './keys.ts'
import { LargeBodies } from './large-bodies.ts'
import { noSchemas } from './no-schemas.ts'
import { toFastifyPath } from './own-route.ts'
import { sendProxyError } from './proxy/errors.ts'
import type { ProxyCaller } from './proxy/proxy-caller.ts'
import { addProxyRoutes, isOfProxy } from './proxy/routes.ts'
import { addPublicRoutes } from './public-routes.ts'
import { readQuery } from './query.ts'
import { getRateScopes, RateLimiter } from './rate-limit.ts'
import { toRequestEvent } from './request-event.ts'
import { getRequestMetadata } from './request-metadata.ts'
import { type RequestSummary, ResponseObserver } from './response-observer.ts'
import { type HttpRoute, listFixedPaths, routes, toInput } from './routes.ts'
import { sendRun } from './run-response.ts'
import { createHangUpSignal } from './signal.ts'
import { addTestControlRoutes } from './test-control-routes.ts'
import type { TestControls } from './test-controls.ts'
import { isPageOfThreeDs } from './three-ds/paths.ts'
import { addThreeDsPages } from './three-ds/routes.ts'
import { runWithFault } from './under-fault.ts'
import { findUnsupportedArea } from './unsupported-routes.ts'
import { isLarge } from './uploads.ts'

export type AppOptions = {
  /** The open vault, or null while it is locked. */
  readonly engine: () => Engine | null
  /**
   * Called for every request, because the port is known only once the listener is open, and the allowed origins and
   * hosts may change.
   */
  readonly guard: () => Guard
  /** The test controls of an in-memory vault, served below `/_coffer/`. */
  readonly testControls?: TestControls | undefined
  readonly proxies: ProxyCaller
  readonly code: CodeRunner
  readonly report?: ReportIncident | undefined
  /** Called once per request, after its response. */
  readonly onAnswered?: ((answered: RequestSummary) => void) | undefined
}

type AdmitRequest = (request: FastifyRequest, reply: FastifyReply) => void
/** Turns a thrown value into the error to send, and reports internal failures. */
type ToResponseError = (error: unknown, request: FastifyRequest) => CofferError

/**
 * Builds the HTTP server of the engine: guards, key check, JSON, routes and responses. The server does not listen yet.
 */
export function buildApp(options: AppOptions): FastifyInstance {
  const { engine, guard, testControls, proxies, code, report, onAnswered } = options
  const limiter = new RateLimiter(engine)
  const toResponseError: ToResponseError = (error, { method, routeOptions, trace_id }) => {
    const rejection = toErrorFromFastify(error, routeOptions.bodyLimit ?? BODY_LIMIT)
    if (isIncident(rejection))
      report?.(rejection, `${method} ${routeOptions.url ?? 'unknown path'}`, trace_id)
    return rejection
  }
  const admitIncoming: AdmitRequest = (request, reply) => admitRequest(request, reply, guard(), limiter)
  const allowed = new AllowedMethods()
  const observer = onAnswered && new ResponseObserver(onAnswered)
  const app = newServer((request, reply) => {
    observer?.observeRequest(request, reply)
    admitIncoming(request, reply)
  })
  // Fastify would otherwise respond with 400 to the method QUERY before it looks up the path.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  app.addHook('onRoute', (route) => {
    // A single route serves GET and HEAD, because adding routes takes a large part of the start-up time (rule A-04).
    if (route.method === 'GET') route.method = ['GET', 'HEAD']
    // `*` is the route for preflights. It is left out, because it would match every path.
    if (route.url !== '*') allowed.addRoute(route.method, route.url)
  })
  observer?.addTo(app)
  app.addHook('onRequest', (request, reply, done) => {
    try {
      // This serializer is used by the routes that send objects and are not operations of the engine.
      if (isReadByPerson(request)) reply.serializer(toReadableText)
      admitIncoming(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  app.decorateRequest('trace_id', '')
  app.decorateRequest('unrecorded', false)
  rememberCallers(app)
  skipRejected(app)
  publishRequestEvents(app, engine)
  addCorsHeaders(app, guard)

  const large = new LargeBodies()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => sendError(reply, toResponseError(error, request)))
  app.setNotFoundHandler((request, reply) => {
    const rejection = toUnknownRouteError(request, allowed)
    return isOfProxy(getRawPath(request)) ? sendProxyError(reply, rejection) : sendError(reply, rejection)
  })

  addPublicRoutes(app, engine, toResponseError)
  addDocsRoutes(app)
  addFrameRoutes(app, engine, guard)
  addElementsRoutes(app, { guard, destinations: () => proxies.allowedDestinations })
  // Added in a plugin, so that the routes are added after the hooks that guard them.
  app.register(async (scope) => {
    for (const route of routes)
      addRoute(scope, route, { engine, allowed, faults: testControls?.faults, large, code, toResponseError })
    addProxyRoutes(scope, { engine, proxies, faults: testControls?.faults, large, toResponseError })
    addThreeDsPages(scope, { engine, guard, toResponseError })
    addDocumentRoutes(scope, { engine, faults: testControls?.faults, limiter, toResponseError })
    if (testControls) addTestControlRoutes(scope, { engine, controls: testControls })
  })
  if (testControls) {
    app.addHook('preClose', (done) => {
      testControls.faults.releaseCalls()
      done()
    })
  }
  return app
}

function newServer(admitted: AdmitRequest): FastifyInstance {
  return Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    keepAliveTimeout: 30_000,
    http: connectionLimits,
    exposeHeadRoutes: false,
    // Pages with `useSameOriginApi` expect the API below /api.
    rewriteUrl: ({ url = '' }) => (url.startsWith('/api/') ? url.slice('/api'.length) : url),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: connectionLimits.maxHeaderSize,
      // All regular expressions in paths are Coffer's own. Checking them would take longer than adding the routes.
      allowUnsafeRegex: true,
    },
    schemaController: noSchemas,
    // A path that cannot be decoded is handled here without passing any hook.
    frameworkErrors(error, request, reply) {
      try {
        admitted(request, reply)
        sendError(reply, toErrorFromFastify(error, BODY_LIMIT))
      } catch (rejection) {
        sendError(reply, toCofferError(rejection))
      }
    },
    clientErrorHandler: rejectBrokenRequest,
  })
}

function addCorsHeaders(app: FastifyInstance, guard: () => Guard): void {
  app.register(cors, {
    // SECURITY: a page whose origin is not allowed gets no CORS header.
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

/** Adds `caller` to requests, and marks the connection of an identified caller, which gets more time (case X-66). */
function rememberCallers(app: FastifyInstance): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.decorateRequest('caller', {
    getter() {
      return callers.get(this) ?? null
    },
    setter(caller) {
      if (!caller) return
      callers.set(this, caller)
      markIdentified(this.raw)
    },
  })
}

/** Publishes `http.request` for each request with a valid key, after its response (rule W-01). */
function publishRequestEvents(app: FastifyInstance, engine: () => Engine | null): void {
  app.addHook('onResponse', (request, reply, done) => {
    const open = engine()
    if (open?.outbox.hasSubscribers('http.request') && request.caller && !isOwn(request.routeOptions.url)) {
      open.outbox.publishEvent(
        request.caller,
        'http.request',
        toRequestEvent(request, reply),
        request.trace_id,
      )
    }
    done()
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether pages of every origin may request this route. */
    anyPage?: boolean
  }
  interface FastifyRequest {
    trace_id: string
    /** Whether the request has passed the guard but not reached the pipeline, so an error has no record yet. */
    unrecorded: boolean
    /** The caller, once the key has been validated. */
    caller: Caller | null
  }
}

/** Runs the first steps of every request: response headers, trace id, guard, rate limits. */
function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  guard: Guard,
  limiter: RateLimiter,
): void {
  reply.header('Cache-Control', 'no-store')
  reply.header('X-Content-Type-Options', 'nosniff')
  const { headers } = request
  request.trace_id = getTraceId(request)
  reply.header('SVC-TRACE-ID', request.trace_id)
  if (headers['bt-api-key'] !== undefined || headers['bt-trace-id'] !== undefined) {
    reply.header('BT-TRACE-ID', request.trace_id)
  }
  // SECURITY: requests that the guard rejects are not recorded, so that no foreign page can fill the disk with
  // records.
  const { url, config } = request.routeOptions
  guardRequest(
    request.raw,
    guard,
    config.anyPage ? 'elements' : isPageOfThreeDs(url) ? '3D Secure' : 'interface',
  )
  rejectFormerPage(headers, guard)
  request.unrecorded = true
  // Only the documented API is rate-limited.
  if (isOwn(url) || url?.startsWith('/elements')) return
  const method = request.method === 'HEAD' ? 'GET' : request.method
  limiter.countRequest(request.raw.socket.remoteAddress ?? '', getRateScopes(method, url))
}

/** Returns whether a route is Coffer's own and not part of the hosted API. */
function isOwn(url: string | undefined): boolean {
  return url?.startsWith('/_coffer/') === true
}

type RouteDeps = {
  readonly engine: () => Engine | null
  readonly allowed: AllowedMethods
  readonly faults: Faults | undefined
  readonly large: LargeBodies
  readonly code: CodeRunner
  readonly toResponseError: ToResponseError
}

function addRoute(
  app: FastifyInstance,
  route: HttpRoute,
  { engine, allowed, faults, large, code, toResponseError }: RouteDeps,
): void {
  const fixed = listFixedPaths(route)
  app.route({
    method: route.method,
    url: toFastifyPath(route.path),
    // The key is checked before the body is read.
    onRequest(request, reply, done) {
      try {
        const params = request.params as Record<string, string>
        // `PUT /applications/key` matches the route for an id, but `key` is a fixed path of other methods.
        if (fixed.length > 0 && fixed.includes(fillPath(route.path, params))) {
          request.unrecorded = false
          throw allowed.createErrorAt(getRawPath(request))
        }
        addDeprecation(reply, route, params)
        request.caller = identifyCaller(request.headers, engine(), 'application')
        if (route.operation.bodyless && isEmpty(request)) delete request.raw.headers['content-type']
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    errorHandler(error, request, reply) {
      const rejection = toResponseError(error, request)
      sendError(reply, request.unrecorded ? recordRejection(request, route, engine(), rejection) : rejection)
    },
    // After the key check, so that a request without a valid key never takes a slot.
    preParsing: large.receiveBody,
    async handler(request, reply) {
      const body = request.body as Buffer | undefined
      const callRoute = (note?: string) =>
        route.operation.runs
          ? callCodeOperation(request, reply, route, { engine, large, code }, note)
          : large.runLimited(body, () => callOperation(request, route, { engine, code }, note))
      const fault = faults?.pickFault(route.name)
      if (!faults || !fault) return sendResult(reply, await callRoute())
      const steps = {
        call: () => callRoute(`fault ${fault.name}`),
        send: (result: CallResult | RunResponse) => sendResult(reply, result),
        recordRejection: (status: number, note: string) =>
          recordOutcome(request, route, engine(), { status, note }),
      }
      return runWithFault(fault, reply, steps, faults)
    },
  })
}

/** The names of the operations that may store code. */
const storesCode: ReadonlySet<string> = new Set(
  ['reactors', 'proxies'].flatMap((resource) =>
    ['create', 'update', 'patch'].map((each) => `${resource}.${each}`),
  ),
)

async function callOperation(
  request: FastifyRequest,
  route: HttpRoute,
  { engine, code }: Pick<RouteDeps, 'engine' | 'code'>,
  note?: string,
): Promise<CallResult> {
  const { input, info } = await parseRequest(request, route, engine, note)
  const { name } = route
  const caller = getSender(request)
  const open = requireUnlocked(engine())
  const result = await open.call(name, input, caller, info)
  if (storesCode.has(name)) {
    const { id: entity_id } = { ...(input as { id: string }), ...(result.output as { id: string }) }
    code.checkStoredCode({ engine: open, name, input, caller, info, status: result.status, entity_id })
  }
  return result
}

/** Calls an operation that runs code. For a large body, the preparation occupies the slot, but the run does not. */
async function callCodeOperation(
  request: FastifyRequest,
  reply: FastifyReply,
  route: HttpRoute,
  { engine, large, code }: Pick<RouteDeps, 'engine' | 'large' | 'code'>,
  note?: string,
): Promise<RunResponse> {
  const { input, info } = await parseRequest(request, route, engine, note)
  const open = requireUnlocked(engine())
  const result = await code.handleCall({
    engine: open,
    name: route.name,
    input,
    caller: getSender(request),
    info,
    signal: createHangUpSignal(reply),
    first: (prepare) => large.runLimited(request.body as Buffer | undefined, prepare),
  })
  // SECURITY: no result is sent if the vault was locked during the run.
  requireUnlocked(engine())
  return result
}

/** Reads an operation's input and call information from a request. */
async function parseRequest(
  request: FastifyRequest,
  route: HttpRoute,
  engine: () => Engine | null,
  note?: string,
): Promise<{ input: unknown; info: CallInfo }> {
  requireUnlocked(engine())
  const { headers } = request
  // The method of the route, because a HEAD is handled as a GET (rule A-04).
  const { method } = route
  const body = readBody(route.operation, method, {
    contentType: headers['content-type'],
    encoding: headers['content-encoding'],
    bytes: request.body as Buffer | undefined,
  })
  // Parsing a large body and running its call take separate turns of the event loop (rule R-03).
  if (isLarge(request.body as Buffer | undefined)) await turn()
  const at = request.raw.url?.indexOf('?') ?? -1
  const query = at < 0 ? {} : readQuery((request.raw.url as string).slice(at + 1))
  const params = request.params as Record<string, string>
  const input = toInput(route, params, query, body)
  const key =
    method === 'GET' || method === 'DELETE' ? undefined : findPrefixedHeader(headers, 'idempotency-key')
  request.unrecorded = false
  const info: CallInfo = {
    trace_id: request.trace_id,
    dialect: findKey(headers)?.dialect,
    base_url: `http://${headers.host}`,
    idempotency: key === undefined ? undefined : { key, method, path: fillPath(route.path, params) },
    note,
    http: getRequestMetadata(request),
    // No text is needed if a fault may replace the response, or for HEAD, whose response has no body.
    wants_text: note === undefined && getWantedText(request),
  }
  return { input, info }
}

function sendResult(reply: FastifyReply, result: CallResult | RunResponse): FastifyReply {
  if ('body' in result) return sendRun(reply, result)
  const { status, headers, output, text } = result
  reply.code(status).headers(headers)
  if (status === 204) return reply.send()
  return reply.type('application/json; charset=utf-8').send(text ?? formatJsonFor(reply.request, output))
}

/** Returns whether the result should include its JSON text: false for HEAD, `readable` (indented) for a person. */
function getWantedText(request: FastifyRequest): boolean | 'readable' {
  if (request.method === 'HEAD') return false
  return isReadByPerson(request) ? 'readable' : true
}

/** Returns the caller of a request, even if the key is not valid. */
function getSender({ caller, headers }: FastifyRequest): Caller {
  return caller ?? { kind: 'key', key: findKey(headers)?.key ?? '' }
}

/** Returns whether a request has no body. If so, its content type does not matter (rule A-09). */
function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Records an error and returns it, or `storage_full` if the disk has no space for the record (case X-44). */
function recordRejection(
  request: FastifyRequest,
  route: HttpRoute,
  engine: Engine | null,
  rejection: CofferError,
): CofferError {
  try {
    recordOutcome(request, route, engine, rejection)
    return rejection
  } catch (error) {
    return toCofferError(error)
  }
}

function recordOutcome(
  request: FastifyRequest,
  { name }: HttpRoute,
  engine: Engine | null,
  rejection: CofferError | EarlyResult,
): void {
  const { trace_id, params } = request
  const info = { trace_id, http: getRequestMetadata(request), wants_text: getWantedText(request) }
  engine?.outcomes.recordOutcome(name, getSender(request), rejection, info, params)
}

function getRawPath({ raw }: FastifyRequest): string {
  return (raw.url ?? '').split('?', 1)[0] as string
}

/**
 * Returns the request's trace id if it is printable and at most 200 characters long, otherwise a new one (rule A-11).
 */
function getTraceId({ headers }: FastifyRequest): string {
  const requestedId = findPrefixedHeader(headers, 'trace-id')
  return requestedId !== undefined && /^[\x21-\x7e]{1,200}$/.test(requestedId) ? requestedId : randomUUID()
}

/** Returns a route's path with its parameters filled in, in a canonical encoding. */
function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** Adds the end date and the successor of a deprecated operation to the headers (rule L-06). */
function addDeprecation(reply: FastifyReply, { operation }: HttpRoute, params: Record<string, string>): void {
  if (!operation.deprecated) return
  const { since, sunset } = operation.deprecated
  const successor = fillPath(operation.deprecated.successor, params)
  reply.header('Deprecation', `@${Date.parse(since) / 1000}`)
  reply.header('Sunset', new Date(sunset).toUTCString())
  reply.header('Link', `<${successor}>; rel="successor-version"`)
}

/** Returns 405 for a wrong method, otherwise 404. If the hosted service has this path, the message names its area. */
function toUnknownRouteError(request: FastifyRequest, allowed: AllowedMethods): CofferError {
  const path = getRawPath(request)
  const rejection = allowed.createErrorAt(path)
  const area = rejection.code === 'not_found' ? findUnsupportedArea(path) : null
  if (area === null) return rejection
  return new CofferError('not_found', `This operation is not part of this version of Coffer: ${area}.`)
}

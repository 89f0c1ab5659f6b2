import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { CofferError } from '../../shared/errors.ts'
import type { IgnoredMember } from '../../shared/validation.ts'
import {
  type Caller,
  type Engine,
  isIncident,
  type ReportIncident,
  runAfterwards,
  toCofferError,
} from '../engine/index.ts'
import { addAccountUpdaterFiles } from './account-updater/routes.ts'
import { admitRequest, isOwn } from './admit-request.ts'
import { addAgenticPages } from './agentic/routes.ts'
import { AllowedMethods, getRawPath } from './allowed-methods.ts'
import { BODY_LIMIT } from './body.ts'
import { rejectBrokenRequest, skipRejected } from './broken-request.ts'
import type { CodeRunner } from './code.ts'
import { markIdentified, serverOptions } from './connections.ts'
import { addDocsRoutes } from './docs/routes.ts'
import { addDocumentRoutes } from './documents/routes.ts'
import { addElementsRoutes, addFrameRoutes } from './elements/routes.ts'
import { sendError, type ToResponseError, toErrorFromFastify } from './failures.ts'
import { isReadByPerson, toReadableText } from './for-people.ts'
import type { Guard } from './guard.ts'
import { IGNORED_HEADER, nameIgnoredMembers } from './ignored-members.ts'
import { LargeBodies } from './large-bodies.ts'
import { noSchemas } from './no-schemas.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { sendProxyError } from './proxy/errors.ts'
import type { ProxyCaller } from './proxy/proxy-caller.ts'
import { addProxyRoutes, isOfProxy } from './proxy/routes.ts'
import { addPublicRoutes } from './public-routes.ts'
import { RateLimiter } from './rate-limit.ts'
import { toRequestEvent } from './request-event.ts'
import { type RequestSummary, ResponseObserver } from './response-observer.ts'
import { addTestControlRoutes } from './test-control-routes.ts'
import type { TestControls } from './test-controls.ts'
import { addThreeDsPages } from './three-ds/routes.ts'
import { findUnbuiltArea, rejectUnbuilt } from './unbuilt-areas.ts'

export type AppOptions = {
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
  readonly onAnswered?: ((answered: RequestSummary) => void) | undefined
}

type AdmitRequest = (request: FastifyRequest, reply: FastifyReply) => void

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
  app.decorateRequest('ignored', null)
  rememberCallers(app)
  skipRejected(app)
  publishRequestEvents(app, engine, report)
  addCorsHeaders(app, guard)

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => sendError(reply, toResponseError(error, request)))
  app.setNotFoundHandler((request, reply) => {
    const rejection = toUnknownRouteError(request, allowed, engine())
    return isOfProxy(getRawPath(request)) ? sendProxyError(reply, rejection) : sendError(reply, rejection)
  })

  addPublicRoutes(app, engine, toResponseError)
  addDocsRoutes(app, guard)
  addFrameRoutes(app, engine, guard)
  addElementsRoutes(app, { guard, destinations: () => proxies.allowedDestinations })
  // Added in a plugin, so that the routes are added after the hooks that guard them.
  app.register(async (scope) => {
    const deps = { engine, guard, faults: testControls?.faults, large: new LargeBodies(), toResponseError }
    nameIgnoredMembers(scope)
    addOperationRoutes(scope, { ...deps, allowed, code })
    addProxyRoutes(scope, { ...deps, proxies })
    addThreeDsPages(scope, deps)
    addAgenticPages(scope, deps)
    addAccountUpdaterFiles(scope, { ...deps, report })
    addDocumentRoutes(scope, { ...deps, limiter, report })
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
    http: serverOptions,
    exposeHeadRoutes: false,
    // Pages with `useSameOriginApi` expect the API below /api.
    rewriteUrl: ({ url = '' }) => (url.startsWith('/api/') ? url.slice('/api'.length) : url),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: serverOptions.maxHeaderSize,
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
      IGNORED_HEADER,
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
  app.decorateRequest('identified', null)
  app.decorateRequest('caller', {
    getter() {
      return this.identified
    },
    setter(caller) {
      if (!caller) return
      this.identified = caller
      markIdentified(this.raw)
    },
  })
}

/** Publishes `http.request` for each request with a valid key, after its response (rule W-01). */
function publishRequestEvents(
  app: FastifyInstance,
  engine: () => Engine | null,
  report: ReportIncident | undefined,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const open = engine()
    const { caller, trace_id } = request
    if (open?.outbox.hasSubscribers('http.request') && caller && !isOwn(request.routeOptions.url)) {
      const publishRequest = () =>
        open.outbox.publishEvent(caller, 'http.request', toRequestEvent(request, reply), trace_id)
      runAfterwards(report, 'http.request', publishRequest, trace_id)
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
    caller: Caller | null
    /** Where `caller` is kept. */
    identified: Caller | null
    /** Collects the unknown members and parameters that are ignored; null if they are rejected (rule A-08). */
    ignored: IgnoredMember[] | null
  }
}

/** Returns 405 for a wrong method, otherwise 404. If the hosted service has this path, the message names its area. */
function toUnknownRouteError(
  request: FastifyRequest,
  allowed: AllowedMethods,
  engine: Engine | null,
): CofferError {
  const path = getRawPath(request)
  const rejection = allowed.createErrorAt(path)
  const area = rejection.code === 'not_found' ? findUnbuiltArea(path) : null
  return area === null ? rejection : rejectUnbuilt(request, engine, area)
}

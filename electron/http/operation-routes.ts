import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { nameInvalid } from '../../shared/errors.ts'
import type { Json } from '../../shared/json.ts'
import {
  type CallInfo,
  type CallResult,
  type Engine,
  type RunResponse,
  requireUnlocked,
} from '../engine/index.ts'
import { type AllowedMethods, getRawPath } from './allowed-methods.ts'
import { readBody } from './body.ts'
import type { CodeRunner } from './code.ts'
import { sendError, type ToResponseError } from './failures.ts'
import type { Faults } from './faults.ts'
import { formatJsonFor } from './for-people.ts'
import type { Guard } from './guard.ts'
import { findKey, findPrefixedHeader, identifyCaller } from './keys.ts'
import type { LargeBodies } from './large-bodies.ts'
import { getOwnOrigin } from './own-origin.ts'
import { toFastifyPath } from './own-route.ts'
import { readQuery } from './query.ts'
import { getSender, getWantedText, recordOutcome, recordRejection } from './record-outcome.ts'
import { getRequestMetadata } from './request-metadata.ts'
import { type HttpRoute, listFixedPaths, routes, toInput } from './routes.ts'
import { sendRun } from './run-response.ts'
import { createHangUpSignal } from './signal.ts'
import { runWithFault } from './under-fault.ts'
import { isLarge } from './uploads.ts'

type OperationRouteDeps = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly allowed: AllowedMethods
  readonly faults: Faults | undefined
  readonly large: LargeBodies
  readonly code: CodeRunner
  readonly toResponseError: ToResponseError
}

/** Adds a route for each operation whose body and response are JSON. */
export function addOperationRoutes(app: FastifyInstance, deps: OperationRouteDeps): void {
  for (const route of routes) addRoute(app, route, deps)
}

function addRoute(
  app: FastifyInstance,
  route: HttpRoute,
  { engine, guard, allowed, faults, large, code, toResponseError }: OperationRouteDeps,
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
      const rejection = nameInvalid(toResponseError(error, request), route.operation.invalidAs)
      sendError(reply, request.unrecorded ? recordRejection(request, route, engine(), rejection) : rejection)
    },
    // After the key check, so that a request without a valid key never takes a slot.
    ...(route.method !== 'GET' && { preParsing: large.receiveBody }),
    async handler(request, reply) {
      request.ignored = guard().strict ? null : []
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
  { engine, code }: Pick<OperationRouteDeps, 'engine' | 'code'>,
  note?: string,
): Promise<CallResult> {
  const body = parseBody(request, route, engine)
  if (isLarge(request.body)) await turn()
  const { input, info } = buildCall(request, route, body, note)
  const { name } = route
  const caller = getSender(request)
  const open = requireUnlocked(engine())
  const result = await open.call(name, input, caller, info)
  if (storesCode.has(name)) {
    const { id: entity_id } = { ...(input as { id: string }), ...(result.output as { id: string }) }
    code.checkStoredCode({ engine: open, name, input, caller, info, status: result.status, entity_id })
  }
  return route.operation.sdkText && 'x-fern-language' in request.headers ? toSdkText(result) : result
}

/** Wraps the JSON of a response in a string. */
function toSdkText(result: CallResult): CallResult {
  const output = JSON.stringify(result.output)
  return { ...result, output, text: JSON.stringify(output) }
}

/** Calls an operation that runs code. For a large body, the preparation occupies the slot, but the run does not. */
async function callCodeOperation(
  request: FastifyRequest,
  reply: FastifyReply,
  route: HttpRoute,
  { engine, large, code }: Pick<OperationRouteDeps, 'engine' | 'large' | 'code'>,
  note?: string,
): Promise<RunResponse> {
  const body = parseBody(request, route, engine)
  if (isLarge(request.body)) await turn()
  const { input, info } = buildCall(request, route, body, note)
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

/** Parses a body. If it is large, its call must run in a later turn of the event loop (rule R-03). */
function parseBody(
  { headers, body }: FastifyRequest,
  { operation, method }: HttpRoute,
  engine: () => Engine | null,
): Json | undefined {
  requireUnlocked(engine())
  return readBody(operation, method, {
    contentType: headers['content-type'],
    encoding: headers['content-encoding'],
    bytes: body as Buffer | undefined,
  })
}

function buildCall(
  request: FastifyRequest,
  route: HttpRoute,
  body: Json | undefined,
  note?: string,
): { input: unknown; info: CallInfo } {
  const { headers } = request
  // The method of the route, because a HEAD is handled as a GET (rule A-04).
  const { method } = route
  const query = readQuery(request.raw.url)
  const params = request.params as Record<string, string>
  const input = toInput(route, params, query, body, request.ignored)
  const key =
    method === 'GET' || method === 'DELETE' ? undefined : findPrefixedHeader(headers, 'idempotency-key')
  request.unrecorded = false
  const info: CallInfo = {
    trace_id: request.trace_id,
    dialect: findKey(headers)?.dialect,
    base_url: getOwnOrigin(request.raw),
    idempotency: key === undefined ? undefined : { key, method, path: fillPath(route.path, params) },
    note,
    http: getRequestMetadata(request),
    // No text is needed if a fault may replace the response, or for HEAD, whose response has no body.
    wants_text: note === undefined && getWantedText(request),
    ignored: request.ignored ?? undefined,
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

/** Returns whether a request has no body. If so, its content type does not matter (rule A-09). */
function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
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

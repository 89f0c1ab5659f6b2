import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import {
  type Caller,
  type CallInfo,
  createLockedError,
  type Engine,
  type Headers,
  requireUnlocked,
} from '../../engine/index.ts'
import type { ToResponseError } from '../failures.ts'
import type { Faults } from '../faults.ts'
import { findKey, findPrefixedHeader, identifyCaller } from '../keys.ts'
import type { LargeBodies } from '../large-bodies.ts'
import { getRequestMetadata, toRecordedPath } from '../request-metadata.ts'
import { createHangUpSignal } from '../signal.ts'
import { runWithFault } from '../under-fault.ts'
import { UploadSlots } from '../uploads.ts'
import { forwardedMethods } from './document.ts'
import { sendProxyError } from './errors.ts'
import {
  type IncomingCall,
  MAX_FORWARDED_BYTES,
  type ProxyCaller,
  type ProxyResponse,
} from './proxy-caller.ts'
import { canPassHeader } from './response-headers.ts'

/**
 * The maximum number of large bodies that are forwarded at the same time (rule R-03). A call to a slow destination can
 * hold its slot for a long time.
 */
const MAX_UPLOADS = 32

type ProxyRouteDeps = {
  readonly engine: () => Engine | null
  readonly proxies: ProxyCaller
  readonly faults: Faults | undefined
  readonly large: LargeBodies
  readonly toResponseError: ToResponseError
}

const operation = 'proxies.invoke'

/** Whether a path is that of a call through a proxy. */
export function isOfProxy(path: string): boolean {
  return path === '/proxy' || path.startsWith('/proxy/')
}

/** Adds `/proxy` and every path below it (rule G-04). */
export function addProxyRoutes(app: FastifyInstance, deps: ProxyRouteDeps): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it may be long, and its type does not matter.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const uploads = new UploadSlots(MAX_UPLOADS)
    for (const url of ['/proxy', '/proxy/*']) addRoute(scope, url, deps, uploads)
  })
}

function addRoute(
  app: FastifyInstance,
  url: string,
  { engine, proxies, faults, large, toResponseError }: ProxyRouteDeps,
  uploads: UploadSlots,
): void {
  app.route({
    method: [...forwardedMethods],
    url,
    bodyLimit: MAX_FORWARDED_BYTES,
    errorHandler(error, request, reply) {
      const rejection = toResponseError(error, request)
      if (request.unrecorded) recordError(request, engine(), rejection)
      sendProxyError(reply, rejection)
    },
    async handler(request, reply) {
      const started = performance.now()
      const open = requireUnlocked(engine())
      const caller = identifyProxyCaller(request, open)
      request.caller = caller
      const info = getCallInfo(request)
      // The rest of an unread body is discarded, so that the next request on the connection can follow.
      reply.raw.once('finish', () => request.raw.resume())
      const runCall = async () => {
        const call: IncomingCall = {
          ...readIncoming(request),
          engine: open,
          upload: uploads.createSlot(request, reply),
          caller,
          info,
          started,
          signal: createHangUpSignal(reply),
          runLimited: (body, step) => large.runLimited(body, step),
        }
        // The host records every error of the call itself.
        request.unrecorded = false
        const response = await proxies.makeCall(call)
        request.unrecorded = true
        destroyWithReply(reply, response)
        return { call, response }
      }
      const sendResponse = ({ call, response }: Awaited<ReturnType<typeof runCall>>) => {
        // SECURITY: no response leaves a vault that was locked during the call.
        if (engine() !== open) throw createLockedError()
        proxies.recordResponse(call, response)
        // SECURITY: without this header, the frames of Elements give a page only references to the response. A
        // destination cannot set this header, because every header with the prefix `BT-` in its response is dropped.
        if (open.settings.expose_raw_proxy_response === 'true')
          reply.header('BT-EXPOSE-RAW-PROXY-RESPONSE', 'true')
        return sendProxyResponse(reply, response)
      }
      const fault = faults?.pickFault(operation)
      if (!faults || !fault) return sendResponse(await runCall())
      const recordRejection = (status: number, note: string) =>
        open.outcomes.recordOutcome(operation, caller, { status, note }, info)
      return runWithFault(fault, reply, { call: runCall, send: sendResponse, recordRejection }, faults)
    },
  })
}

/** The caller: identified by a key, or anonymous at a proxy that needs none. Throws `unauthenticated`. */
function identifyProxyCaller({ headers, url }: FastifyRequest, engine: Engine): Caller {
  const proxy_key = findProxyKey(headers, url)
  if (findKey(headers) || proxy_key === null) return identifyCaller(headers, engine, 'application')
  return engine.identification.identifyProxy(proxy_key)
}

function findProxyKey(headers: FastifyRequest['headers'], url: string): string | null {
  const headerKey = findPrefixedHeader(headers, 'proxy-key')
  if (headerKey !== undefined) return headerKey
  const query = getQuery(url)
  return query === '' ? null : new URLSearchParams(query).get('bt-proxy-key')
}

function getQuery(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

function readIncoming(request: FastifyRequest) {
  const { url, headers, method, raw } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return {
    proxy_key: findProxyKey(headers, url),
    proxy_url: findPrefixedHeader(headers, 'proxy-url') ?? null,
    method,
    path: getForwardedPath(url),
    query: removeProxyKey(getQuery(url)),
    headers: listHeaders(raw),
    body: hasBody ? ((request.body as Readable | undefined) ?? raw) : null,
  }
}

/** The path after `/proxy`, or an empty string. Throws `invalid`. */
function getForwardedPath(url: string): string {
  const [, path] = /^\/proxy(\/.*)?$/.exec(url.split('?', 1)[0] as string) ?? []
  // SECURITY: after an encoded `/proxy`, the rest would be read as part of the destination's host.
  if (path === undefined && !/^\/proxy(\?|$)/.test(url))
    throw new CofferError('invalid', 'The path must begin with /proxy, without percent-encoding.')
  return path === undefined || path === '/' ? '' : path
}

function removeProxyKey(query: string): string {
  if (query === '') return query
  const remaining = query
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has('bt-proxy-key'))
  return remaining.length === 0 ? '' : `?${remaining.join('&')}`
}

function listHeaders({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return pairs
}

function getCallInfo(request: FastifyRequest): CallInfo {
  const { trace_id, headers, method, url } = request
  // SECURITY: the query is left out, because it may hold anything.
  const [path = ''] = url.split('?', 1)
  return {
    trace_id,
    dialect: findKey(headers)?.dialect,
    request: `${method} ${toRecordedPath(path)}`,
    http: getRequestMetadata(request),
  }
}

/**
 * Destroys the destination's response once the caller's connection has closed. Otherwise, the unread rest of the
 * response would block the connection to the destination.
 */
function destroyWithReply(reply: FastifyReply, { body }: ProxyResponse): void {
  if (!(body instanceof Readable)) return
  if (reply.raw.destroyed) body.destroy()
  else reply.raw.once('close', () => body.destroy())
}

function sendProxyResponse(
  reply: FastifyReply,
  { status, headers, body, destination_status }: ProxyResponse,
): FastifyReply {
  for (const [name, values] of groupHeaders(headers)) {
    if (!canPassHeader(name, reply.request.headers)) continue
    const own = name === 'vary' ? [reply.getHeader(name) ?? []].flat().map(String) : []
    const all = [...own, ...values]
    reply.header(name, all.length === 1 ? all[0] : all)
  }
  // SECURITY: a page of the destination must not run as a page of the listener.
  reply.header('Content-Security-Policy', 'sandbox')
  if (destination_status !== null) {
    reply.header('BT-PROXY-DESTINATION-STATUS', String(destination_status))
    reply.header('SVC-PROXY-DESTINATION-STATUS', String(destination_status))
  }
  return reply.code(status).send(body)
}

function groupHeaders(headers: Headers): Map<string, string[]> {
  const grouped = new Map<string, string[]>()
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const values = grouped.get(lower)
    if (values) values.push(value)
    else grouped.set(lower, [value])
  }
  return grouped
}

function recordError(request: FastifyRequest, engine: Engine | null, rejection: CofferError): void {
  const key = findKey(request.headers)?.key ?? ''
  engine?.outcomes.recordOutcome(operation, { kind: 'key', key }, rejection, getCallInfo(request))
}

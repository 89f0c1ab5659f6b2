import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import type { Caller, CallInfo } from '../../engine/door/call.ts'
import type { EarlyAnswer } from '../../engine/door/call-record.ts'
import type { Report } from '../../engine/door/incident.ts'
import { locked, unlocked } from '../../engine/door/locked.ts'
import { masked } from '../../engine/door/recorded-id.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Headers } from '../../engine/proxies/headers.ts'
import { failureOf } from '../../outbound/failure.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { RunsCode } from '../code.ts'
import type { Faults } from '../faults.ts'
import { callerOf, keyOf, prefixedHeader } from '../keys.ts'
import type { LargeBodies } from '../large-bodies.ts'
import { factsOf, withoutSecrets } from '../request-facts.ts'
import { signalOf } from '../signal.ts'
import { underFault } from '../under-fault.ts'
import { Uploads } from '../uploads.ts'
import { mayPass } from './answer-headers.ts'
import { PASSED_LIMIT } from './bodies.ts'
import { callThrough, type Outgoing } from './call.ts'
import { hasDotSegment } from './dot-segments.ts'
import { sendProxyError } from './errors.ts'
import { Watch } from './watch.ts'

/** How many large bodies of calls are on their way at the same time: destinations may be slow (rule R-03). */
const MOST_UPLOADS = 32

type Parts = {
  readonly engine: () => Engine | null
  readonly outbound: Outbound
  readonly code: RunsCode
  readonly faults: Faults | undefined
  readonly large: LargeBodies
  readonly refusalOf: (error: unknown, request: FastifyRequest) => CofferError
  readonly report: Report | undefined
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const operation = 'proxies.invoke'

/** Whether a path is that of a call through a proxy. */
export function isOfProxy(path: string): boolean {
  return path === '/proxy' || path.startsWith('/proxy/')
}

/** Adds `/proxy` and every path below it (rule G-04). */
export function addProxyRoutes(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it may be long, and what it is does not matter.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const uploads = new Uploads(MOST_UPLOADS)
    for (const url of ['/proxy', '/proxy/*']) addRoute(scope, url, parts, uploads)
  })
}

function addRoute(
  app: FastifyInstance,
  url: string,
  { engine, outbound, code, faults, large, refusalOf, report }: Parts,
  uploads: Uploads,
): void {
  app.route({
    method: methods,
    url,
    bodyLimit: PASSED_LIMIT,
    errorHandler(error, request, reply) {
      const refusal = refusalOf(error, request)
      if (request.unrecorded) record(request, engine(), refusal)
      sendProxyError(reply, refusal)
    },
    async handler(request, reply) {
      const started = performance.now()
      const open = unlocked(engine())
      const caller = proxyCaller(request, open)
      request.caller = caller
      const info = infoOf(request)
      // The next request of a connection comes after the rest of a body that nobody wanted.
      reply.raw.once('finish', () => request.raw.resume())
      const call = async () => {
        const recorded = new WeakSet<object>()
        const isWatched = open.keepsExchanges || open.tells('proxy.invoked')
        const watch = isWatched ? new Watch(open, caller, request.trace_id, report) : null
        const incoming = {
          ...incomingOf(request),
          upload: uploads.of(request, reply),
          caller,
          info,
          signal: signalOf(reply),
          recorded,
          watch,
        }
        try {
          const way = { engine: open, outbound, code, large, ephemeral: open.isEphemeral }
          const outgoing = await callThrough(way, incoming)
          endWith(reply, outgoing)
          return outgoing
        } catch (error) {
          request.unrecorded = !recorded.has(error as object)
          watch?.failed(refusalOf(error, request))
          throw error
        }
      }
      const send = (outgoing: Outgoing) => {
        // SECURITY: nothing is answered for a vault that was locked meanwhile.
        if (engine() !== open) throw locked()
        const { body, host } = outgoing
        open.refuse(operation, caller, recordedAs(outgoing, started), info)
        if (body instanceof Readable) {
          // The first record says how the answer began.
          body.once('error', (error) => open.refuse(operation, caller, brokenOff(error, host ?? ''), info))
        }
        // SECURITY: the frames of elements give a page references to the answer, unless this is said. No destination can
        // say it: its own headers of this kind do not pass.
        if (open.settings.expose_raw_proxy_response === 'true')
          reply.header('BT-EXPOSE-RAW-PROXY-RESPONSE', 'true')
        return sendAnswer(reply, outgoing)
      }
      const fault = faults?.pick(operation)
      if (!faults || !fault) return send(await call())
      const refused = (status: number, note: string) => open.refuse(operation, caller, { status, note }, info)
      return underFault(fault, reply, { call, send, refused }, faults)
    },
  })
}

/** Who calls: by a key, or nobody, at a proxy that asks for none. Throws `unauthenticated`. */
function proxyCaller({ headers, url }: FastifyRequest, engine: Engine): Caller {
  const proxy_key = proxyKeyOf(headers, url)
  if (keyOf(headers) || proxy_key === null) return callerOf(headers, engine, 'application')
  return engine.identifyProxy(proxy_key)
}

function proxyKeyOf(headers: FastifyRequest['headers'], url: string): string | null {
  const named = prefixedHeader(headers, 'proxy-key')
  if (named !== undefined) return named
  const query = queryOf(url)
  return query === '' ? null : new URLSearchParams(query).get('bt-proxy-key')
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

function incomingOf(request: FastifyRequest) {
  const { url, headers, method, raw } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return {
    proxy_key: proxyKeyOf(headers, url),
    proxy_url: prefixedHeader(headers, 'proxy-url') ?? null,
    method,
    path: pathBehind(url),
    query: withoutProxyKey(queryOf(url)),
    headers: headersOf(raw),
    body: hasBody ? ((request.body as Readable | undefined) ?? raw) : null,
  }
}

/** What follows `/proxy`: empty, or a path. Throws `invalid`. */
function pathBehind(url: string): string {
  const [, path] = /^\/proxy(\/.*)?$/.exec(url.split('?', 1)[0] as string) ?? []
  // SECURITY: behind an encoded `/proxy`, the rest would be read as part of the destination's host.
  if (path === undefined && !/^\/proxy(\?|$)/.test(url))
    throw new CofferError('invalid', 'The path must begin with /proxy, spelled so.')
  // SECURITY: it would leave the path of a pre-configured proxy.
  if (path !== undefined && hasDotSegment(path))
    throw new CofferError(
      'invalid',
      'The path must not have the segments . or .. in any encoding, nor be encoded more than five times.',
    )
  return path === undefined || path === '/' ? '' : path
}

/** The query as it was spelled, without the parameter that names the proxy. */
function withoutProxyKey(query: string): string {
  if (query === '') return query
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has('bt-proxy-key'))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

/** Headers as they were sent, in their order and case. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return pairs
}

function infoOf(request: FastifyRequest): CallInfo {
  const { trace_id, headers, method, url } = request
  // SECURITY: without the query, which may hold anything.
  const [path = ''] = url.split('?', 1)
  return {
    trace_id,
    dialect: keyOf(headers)?.dialect,
    request: `${method} ${recordedPath(path)}`,
    http: factsOf(request),
  }
}

/** A path as the log keeps it. SECURITY: callers put card numbers into paths, also encoded, and destinations secrets. */
function recordedPath(path: string): string {
  const plain = decodedPath(path)
  const shown = harmless(plain)
  return shown === plain ? harmless(path) : shown
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function harmless(path: string): string {
  const pieces = masked(path).split('/')
  return pieces.map((piece) => (uuid.test(piece) ? piece : withoutSecrets(piece))).join('/')
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A percent sign that encodes nothing.
    return path
  }
}

/** Lets go of an answer that is not read to its end: a connection to the destination waits for that. */
function endWith(reply: FastifyReply, { body }: Outgoing): void {
  if (!(body instanceof Readable)) return
  if (reply.raw.destroyed) body.destroy()
  else reply.raw.once('close', () => body.destroy())
}

function sendAnswer(
  reply: FastifyReply,
  { status, headers, body, destination_status }: Outgoing,
): FastifyReply {
  for (const [name, values] of grouped(headers)) {
    if (!mayPass(name, reply.request.headers)) continue
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

/** The values of each header, by its name in lower case. */
function grouped(headers: Headers): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const values = found.get(lower)
    if (values) values.push(value)
    else found.set(lower, [value])
  }
  return found
}

function recordedAs({ status, host, proxy_id, application_id }: Outgoing, started: number) {
  return {
    status,
    entity_id: proxy_id,
    concerns: application_id,
    note: host === null ? 'the code of the proxy answered by itself' : `answered by ${host}`,
    duration_us: Math.round((performance.now() - started) * 1000),
  }
}

/** Why an answer ended before its end. */
function brokenOff(error: unknown, host: string): EarlyAnswer {
  const { status, message } = failureOf(error, host)
  return { status, note: `in the middle of the answer: ${message}`, isCountedElsewhere: true }
}

function record(request: FastifyRequest, engine: Engine | null, refusal: CofferError): void {
  const key = keyOf(request.headers)?.key ?? ''
  engine?.refuse(operation, { kind: 'key', key }, refusal, infoOf(request))
}

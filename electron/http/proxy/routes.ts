import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CofferError } from '../../../shared/errors.ts'
import type { Caller, CallInfo } from '../../engine/door/call.ts'
import { unlocked } from '../../engine/door/locked.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Headers } from '../../engine/proxies/headers.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Faults } from '../faults.ts'
import { callerOf, keyOf, prefixedHeader } from '../keys.ts'
import { underFault } from '../under-fault.ts'
import { PASSED_LIMIT } from './bodies.ts'
import { callThrough, type Outgoing } from './call.ts'
import { sendProxyError } from './errors.ts'
import { Watch } from './watch.ts'

type Parts = {
  readonly engine: () => Engine | null
  readonly outbound: Outbound
  readonly faults: Faults | undefined
  readonly refusalOf: (error: unknown, request: FastifyRequest) => CofferError
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const operation = 'proxies.invoke'

/** Adds `/proxy` and every path below it (rule G-04). */
export function addProxyRoutes(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body stays a stream: it may be long, and what it is does not matter.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const url of ['/proxy', '/proxy/*']) addRoute(scope, url, parts)
  })
}

function addRoute(app: FastifyInstance, url: string, { engine, outbound, faults, refusalOf }: Parts): void {
  app.route({
    method: methods,
    url,
    bodyLimit: PASSED_LIMIT,
    exposeHeadRoute: false,
    errorHandler(error, request, reply) {
      const refusal = refusalOf(error, request)
      if (request.unrecorded) record(request, engine(), refusal)
      sendProxyError(reply, refusal)
    },
    async handler(request, reply) {
      const started = performance.now()
      const open = unlocked(engine())
      const caller = proxyCaller(request, open)
      const call = async () => {
        const recorded = new WeakSet<object>()
        const watch = open.keepsExchanges ? new Watch(open, request.trace_id) : null
        const incoming = {
          ...incomingOf(request),
          caller,
          info: infoOf(request),
          signal: signalOf(reply),
          recorded,
          watch,
        }
        try {
          return await callThrough({ engine: open, outbound, ephemeral: open.isEphemeral }, incoming)
        } catch (error) {
          request.unrecorded = !recorded.has(error as object)
          watch?.failed(refusalOf(error, request))
          throw error
        }
      }
      const send = (outgoing: Outgoing) => {
        open.refuse(operation, caller, recordedAs(outgoing, started), infoOf(request))
        return sendAnswer(reply, outgoing)
      }
      const fault = faults?.pick(operation)
      if (!faults || !fault) return send(await call())
      const refused = (status: number, note: string) =>
        open.refuse(operation, caller, { status, note }, infoOf(request))
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
  return new URLSearchParams(queryOf(url)).get('bt-proxy-key')
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

function incomingOf(request: FastifyRequest) {
  const { url, headers, method, raw } = request
  const path = (url.split('?', 1)[0] as string).slice('/proxy'.length)
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return {
    proxy_key: proxyKeyOf(headers, url),
    proxy_url: prefixedHeader(headers, 'proxy-url') ?? null,
    method,
    path: path === '/' ? '' : path,
    query: withoutProxyKey(queryOf(url)),
    headers: headersOf(raw),
    body: hasBody ? ((request.body as Readable | undefined) ?? raw) : null,
  }
}

/** The query as it was spelled, without the parameter that names the proxy. */
function withoutProxyKey(query: string): string {
  if (!query.includes('bt-proxy-key')) return query
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => !pair.startsWith('bt-proxy-key='))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

/** Headers as they were sent, in their order and case. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return pairs
}

function infoOf({ trace_id, headers, method, url }: FastifyRequest): CallInfo {
  // SECURITY: without the query, which may hold anything.
  return { trace_id, dialect: keyOf(headers)?.dialect, request: `${method} ${url.split('?', 1)[0]}` }
}

/** Ends the call of the destination when the caller hangs up. */
function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}

function sendAnswer(
  reply: FastifyReply,
  { status, headers, body, destination_status }: Outgoing,
): FastifyReply {
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    // SECURITY: which pages may read answers is for this listener to say.
    if (lower.startsWith('access-control-')) continue
    const before = reply.getHeader(lower)
    const isOwn = lower !== 'set-cookie' || before === undefined
    reply.header(name, isOwn ? value : [before, value].flat().map(String))
  }
  // SECURITY: a page of the destination must not run as a page of the listener.
  reply.header('Content-Security-Policy', 'sandbox')
  reply.header('BT-PROXY-DESTINATION-STATUS', String(destination_status))
  reply.header('SVC-PROXY-DESTINATION-STATUS', String(destination_status))
  return reply.code(status).send(body)
}

function recordedAs({ status, host, proxy_id }: Outgoing, started: number) {
  return {
    status,
    entity_id: proxy_id,
    note: `answered by ${host}`,
    duration_us: Math.round((performance.now() - started) * 1000),
  }
}

function record(request: FastifyRequest, engine: Engine | null, refusal: CofferError): void {
  const key = keyOf(request.headers)?.key ?? ''
  engine?.refuse(operation, { kind: 'key', key }, refusal, infoOf(request))
}

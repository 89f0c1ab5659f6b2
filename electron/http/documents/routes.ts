import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import type { DocumentObject } from '../../../shared/schemas/document.ts'
import { actorId } from '../../engine/access/actor.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import type { Answer, CallInfo } from '../../engine/door/call.ts'
import type { EarlyAnswer } from '../../engine/door/call-record.ts'
import { locked, unlocked } from '../../engine/door/locked.ts'
import type { Engine } from '../../engine/engine.ts'
import { sendError } from '../failures.ts'
import type { Faults } from '../faults.ts'
import { callerOf, keyOf, prefixedHeader } from '../keys.ts'
import { readQuery } from '../query.ts'
import type { RateLimiter } from '../rate-limit.ts'
import { factsOf } from '../request-facts.ts'
import { inputOf, type Route, streamedRoutes } from '../routes.ts'
import { underFault } from '../under-fault.ts'
import { Uploads } from '../uploads.ts'
import { contentOf } from './download.ts'
import { boundaryOf, tooLarge } from './multipart.ts'
import { BODY_LIMIT, type Chunk, receive } from './upload.ts'

/** How many large uploads are received at the same time (rule R-03). */
const MOST_UPLOADS = 32

type Parts = {
  readonly engine: () => Engine | null
  readonly faults: Faults | undefined
  readonly limiter: RateLimiter
  readonly refusalOf: (error: unknown, request: FastifyRequest) => CofferError
}

/** Adds the upload and the download of documents, whose bodies are streams (rule D-01). */
export function addDocumentRoutes(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const uploads = new Uploads(MOST_UPLOADS)
    for (const route of streamedRoutes) {
      const isUpload = route.name === 'documents.create'
      addRoute(scope, route, parts, isUpload ? uploaded(route, parts, uploads) : downloaded(route, parts))
    }
  })
}

type Handler = {
  readonly what: 'uploads' | 'downloads'
  call(request: FastifyRequest, reply: FastifyReply, note?: string): Promise<Answer>
  send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  { engine, faults, limiter, refusalOf }: Parts,
  { what, call, send }: Handler,
): void {
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: BODY_LIMIT,
    // The key is checked before the body is read.
    onRequest(request, _reply, done) {
      try {
        const caller = callerOf(request.headers, engine(), 'application')
        request.caller = caller
        limiter.takeDocument(actorId(caller.actor) ?? caller.key, what)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    errorHandler(error, request, reply) {
      const refusal = refusalOf(error, request)
      sendError(reply, request.unrecorded ? recorded(request, route, engine(), refusal) : refusal)
    },
    handler(request, reply) {
      // The next request of a connection comes after the rest of a body that nobody wanted.
      reply.raw.once('finish', () => request.raw.resume())
      const fault = faults?.pick(route.name)
      if (!faults || !fault) return call(request, reply).then((answer) => send(request, reply, answer))
      const steps = {
        call: () => call(request, reply, `fault ${fault.name}`),
        send: (answer: Answer) => send(request, reply, answer),
        refused: (status: number, note: string) => record(request, route, engine(), { status, note }),
      }
      return underFault(fault, reply, steps, faults)
    },
  })
}

function uploaded(route: Route, { engine }: Parts, uploads: Uploads): Handler {
  return {
    what: 'uploads',
    async call(request, reply, note) {
      const { headers } = request
      const { tenant_id } = unlocked(engine())
      inputOf(route, {}, queryOf(request), undefined)
      const boundary = boundaryOf(headers['content-type'])
      if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
        throw new CofferError('unsupported_media_type', 'Send the body uncompressed.')
      if (Number(headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge()
      const id = randomUUID()
      const store = async (chunk: Chunk): Promise<Answer> => {
        const open = unlocked(engine())
        // SECURITY: another vault may have been opened meanwhile.
        if (open.tenant_id !== tenant_id) throw locked()
        // A refusal from here on has a record of its own; a chunk that is not the last has none.
        request.unrecorded = false
        const info = chunk.last
          ? { ...infoOf(request, note), idempotency: idempotencyOf(request) }
          : infoOf(request)
        const answer = await open.call(route.name, chunk, callerIn(request), info)
        request.unrecorded = chunk.last === null
        return answer
      }
      try {
        const body = (request.body as Readable | undefined) ?? request.raw
        return await receive(body, boundary, uploads.of(request, reply), id, store)
      } finally {
        engine()?.endUpload(id)
      }
    },
    send: (_request, reply, { status, headers, output }) =>
      reply
        .code(status)
        .headers(headers)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(output)),
  }
}

function downloaded(route: Route, { engine }: Parts): Handler {
  return {
    what: 'downloads',
    async call(request, _reply, note) {
      const input = inputOf(route, request.params as Record<string, string>, queryOf(request), undefined)
      request.unrecorded = false
      return unlocked(engine()).call(route.name, input, callerIn(request), infoOf(request, note))
    },
    send(request, reply, { output }) {
      const { document, bytes } = output as { document: DocumentObject; bytes: number }
      const { id, tenant_id, content_type } = document
      const first = contentOf(engine, { tenant_id, id, bytes })
      reply
        .code(200)
        // SECURITY: whatever it is, no browser runs it as a page of the listener.
        .header('Content-Disposition', 'attachment')
        .header('Content-Security-Policy', 'sandbox')
        .header('Content-Type', content_type)
        .header('Content-Length', bytes)
      if (request.method === 'HEAD') return reply.send()
      const body = Readable.from(first, { objectMode: false })
      // The first record says how the answer began.
      body.once('error', (error) => record(request, route, engine(), brokenOff(error)))
      return reply.send(body)
    },
  }
}

/** Why a download ended before its end. */
function brokenOff(error: unknown): EarlyAnswer {
  const { status, message } = toCofferError(error)
  return { status, note: `in the middle of the answer: ${message}`, isCountedElsewhere: true }
}

function callerIn({ caller, headers }: FastifyRequest) {
  return caller ?? ({ kind: 'key', key: keyOf(headers)?.key ?? '' } as const)
}

function queryOf({ raw }: FastifyRequest): Record<string, unknown> {
  const at = raw.url?.indexOf('?') ?? -1
  return at < 0 ? {} : readQuery((raw.url as string).slice(at + 1))
}

function infoOf(request: FastifyRequest, note?: string): CallInfo {
  const { trace_id, headers } = request
  return { trace_id, dialect: keyOf(headers)?.dialect, note, http: factsOf(request) }
}

function idempotencyOf({ headers }: FastifyRequest): CallInfo['idempotency'] {
  const key = prefixedHeader(headers, 'idempotency-key')
  return key === undefined ? undefined : { key, method: 'POST', path: '/documents' }
}

/** Records a refusal and returns it, or `storage_full` if the log has no room left for it (case X-44). */
function recorded(
  request: FastifyRequest,
  route: Route,
  engine: Engine | null,
  refusal: CofferError,
): CofferError {
  try {
    record(request, route, engine, refusal)
    return refusal
  } catch (error) {
    return toCofferError(error)
  }
}

function record(
  request: FastifyRequest,
  { name }: Route,
  engine: Engine | null,
  answer: CofferError | EarlyAnswer,
): void {
  engine?.refuse(
    name,
    callerIn(request),
    answer,
    { trace_id: request.trace_id, http: factsOf(request) },
    request.params,
  )
}

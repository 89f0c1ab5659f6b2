import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import type { DocumentObject } from '../../../shared/schemas/document.ts'
import {
  type CallInfo,
  type CallResult,
  createLockedError,
  type EarlyResult,
  type Engine,
  getActorId,
  type ReportIncident,
  requireUnlocked,
  runAfterwards,
  toChunkCount,
  toCofferError,
} from '../../engine/index.ts'
import { sendError, type ToResponseError } from '../failures.ts'
import type { Faults } from '../faults.ts'
import type { Guard } from '../guard.ts'
import { findKey, findPrefixedHeader, identifyCaller } from '../keys.ts'
import { toFastifyPath } from '../own-route.ts'
import { readQuery } from '../query.ts'
import type { RateLimiter } from '../rate-limit.ts'
import { getSender, recordOutcome, recordRejection } from '../record-outcome.ts'
import { getRequestMetadata } from '../request-metadata.ts'
import { type HttpRoute, streamedRoutes, toInput } from '../routes.ts'
import { runWithFault } from '../under-fault.ts'
import { UploadSlots } from '../uploads.ts'
import { createTooLargeError, parseBoundary } from './multipart.ts'
import { MAX_BODY_BYTES, receiveUpload, type UploadChunk } from './upload.ts'

/** The maximum number of large uploads that are received at the same time (rule R-03). */
const MAX_UPLOADS = 32

type DocumentRouteDeps = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly faults: Faults | undefined
  readonly limiter: RateLimiter
  readonly toResponseError: ToResponseError
  readonly report: ReportIncident | undefined
}

/** Adds the upload and the download of documents, whose bodies are streams (rule D-01). */
export function addDocumentRoutes(app: FastifyInstance, deps: DocumentRouteDeps): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const uploads = new UploadSlots(MAX_UPLOADS)
    for (const route of streamedRoutes) {
      const isUpload = route.name === 'documents.create'
      addRoute(
        scope,
        route,
        deps,
        isUpload ? createUploadHandler(route, deps, uploads) : createDownloadHandler(route, deps),
      )
    }
  })
}

type DocumentHandler = {
  readonly what: 'uploads' | 'downloads'
  call(request: FastifyRequest, reply: FastifyReply, note?: string): Promise<CallResult>
  send(request: FastifyRequest, reply: FastifyReply, response: CallResult): FastifyReply
}

function addRoute(
  app: FastifyInstance,
  route: HttpRoute,
  { engine, guard, faults, limiter, toResponseError }: DocumentRouteDeps,
  { what, call, send }: DocumentHandler,
): void {
  app.route({
    method: route.method,
    url: toFastifyPath(route.path),
    bodyLimit: MAX_BODY_BYTES,
    // The key is checked before the body is read.
    onRequest(request, _reply, done) {
      try {
        const caller = identifyCaller(request.headers, engine(), 'application')
        request.caller = caller
        limiter.takeDocument(getActorId(caller.actor) ?? caller.key, what)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    errorHandler(error, request, reply) {
      const rejection = toResponseError(error, request)
      sendError(reply, request.unrecorded ? recordRejection(request, route, engine(), rejection) : rejection)
    },
    handler(request, reply) {
      request.ignored = guard().strict ? null : []
      // The rest of an unread body is discarded, so that the next request on the connection can follow.
      reply.raw.once('finish', () => request.raw.resume())
      const fault = faults?.pickFault(route.name)
      if (!faults || !fault) return call(request, reply).then((response) => send(request, reply, response))
      const steps = {
        call: () => call(request, reply, `fault ${fault.name}`),
        send: (response: CallResult) => send(request, reply, response),
        recordRejection: (status: number, note: string) =>
          recordOutcome(request, route, engine(), { status, note }),
      }
      return runWithFault(fault, reply, steps, faults)
    },
  })
}

function createUploadHandler(
  route: HttpRoute,
  { engine }: DocumentRouteDeps,
  uploads: UploadSlots,
): DocumentHandler {
  return {
    what: 'uploads',
    async call(request, reply, note) {
      const { headers } = request
      const { tenant_id } = requireUnlocked(engine())
      toInput(route, {}, readQuery(request.raw.url), undefined, request.ignored)
      const boundary = parseBoundary(headers['content-type'])
      if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
        throw new CofferError('unsupported_media_type', 'Send the body uncompressed.')
      if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw createTooLargeError()
      const id = randomUUID()
      const storeChunk = async (chunk: UploadChunk): Promise<CallResult> => {
        const open = requireUnlocked(engine())
        // SECURITY: another vault may have been opened in the meantime.
        if (open.tenant_id !== tenant_id) throw createLockedError()
        // From here on, the pipeline records errors itself. A successful chunk that is not the last leaves no record,
        // so the flag is set again after it.
        request.unrecorded = false
        const info = chunk.last
          ? { ...getCallInfo(request, note), idempotency: getIdempotency(request) }
          : getCallInfo(request)
        const response = await open.call(route.name, chunk, getSender(request), info)
        request.unrecorded = chunk.last === null
        return response
      }
      try {
        const body = (request.body as Readable | undefined) ?? request.raw
        return await receiveUpload(
          body,
          boundary,
          uploads.createSlot(request, reply),
          id,
          storeChunk,
          request.ignored,
        )
      } finally {
        engine()?.documents.endUpload(id)
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

function createDownloadHandler(route: HttpRoute, { engine, report }: DocumentRouteDeps): DocumentHandler {
  return {
    what: 'downloads',
    async call(request, _reply, note) {
      const input = toInput(
        route,
        request.params as Record<string, string>,
        readQuery(request.raw.url),
        undefined,
        request.ignored,
      )
      request.unrecorded = false
      return requireUnlocked(engine()).call(route.name, input, getSender(request), getCallInfo(request, note))
    },
    send(request, reply, { output }) {
      const { document, bytes } = output as { document: DocumentObject; bytes: number }
      const { id, tenant_id, content_type } = document
      const first = streamContent(engine, { tenant_id, id, bytes })
      reply
        .code(200)
        // SECURITY: whatever its type, no browser may run the content as a page of the listener.
        .header('Content-Disposition', 'attachment')
        .header('Content-Security-Policy', 'sandbox')
        .header('Content-Type', content_type)
        .header('Content-Length', bytes)
      if (request.method === 'HEAD') return reply.send()
      const body = Readable.from(first, { objectMode: false })
      // The record of the call covers only the start of the response, so an interruption gets another record.
      body.once('error', (error) => {
        const recordInterruption = () => recordOutcome(request, route, engine(), toInterruptedResponse(error))
        runAfterwards(report, route.name, recordInterruption, request.trace_id)
      })
      return reply.send(body)
    },
  }
}

function toInterruptedResponse(error: unknown): EarlyResult {
  const { status, message } = toCofferError(error)
  return { status, note: `response interrupted: ${message}`, isExcludedFromCount: true }
}

function getCallInfo(request: FastifyRequest, note?: string): CallInfo {
  const { trace_id, headers, ignored } = request
  return {
    trace_id,
    dialect: findKey(headers)?.dialect,
    note,
    http: getRequestMetadata(request),
    ignored: ignored ?? undefined,
  }
}

function getIdempotency({ headers }: FastifyRequest): CallInfo['idempotency'] {
  const key = findPrefixedHeader(headers, 'idempotency-key')
  return key === undefined ? undefined : { key, method: 'POST', path: '/documents' }
}

/** A download that the vault has allowed and recorded. */
type Download = {
  readonly tenant_id: string
  readonly id: string
  readonly bytes: number
}

/**
 * Returns the content of a document as a stream of chunks, read as fast as the caller receives them (rule D-01). The
 * first chunk is read before anything is sent. Throws `locked` once the vault is no longer open, `not_found` once the
 * document is deleted.
 */
function streamContent(engine: () => Engine | null, download: Download): AsyncGenerator<Buffer> {
  const first = readChunk(engine, download, 0)
  return (async function* () {
    yield first
    for (let number = 1; number < toChunkCount(download.bytes); number++) {
      // Let other requests be handled between two chunks (rule R-03).
      await turn()
      yield readChunk(engine, download, number)
    }
  })()
}

function readChunk(engine: () => Engine | null, { tenant_id, id }: Download, number: number): Buffer {
  const open = requireUnlocked(engine())
  // SECURITY: another vault may have been opened in the meantime.
  if (open.tenant_id !== tenant_id) throw createLockedError()
  const chunk = open.documents.readChunk(id, number)
  if (!chunk) throw new CofferError('not_found', 'The document was deleted.')
  return chunk
}

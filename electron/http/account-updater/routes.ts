import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CofferError } from '../../../shared/errors.ts'
import {
  createLockedError,
  type Engine,
  owner,
  type ReportIncident,
  requireUnlocked,
  runAfterwards,
} from '../../engine/index.ts'
import { markIdentified } from '../connections.ts'
import { sendError, type ToResponseError } from '../failures.ts'
import { getRequestMetadata } from '../request-metadata.ts'
import { createTooLargeError, MAX_FILE_BYTES, readLines } from './lines.ts'
import { type OpenJobs, processJobs } from './process-jobs.ts'

type FileRouteDeps = {
  readonly engine: () => Engine | null
  readonly toResponseError: ToResponseError
  readonly report: ReportIncident | undefined
}

/**
 * Adds the upload and the download of a job's files (rule Z-03). They need no key: whoever knows the random part of the
 * URL may use it, as with the hosted service. What a job may do follows from the application that created it.
 */
export function addAccountUpdaterFiles(
  app: FastifyInstance,
  { engine, toResponseError, report }: FileRouteDeps,
): void {
  const createOpenJobs = (
    request: FastifyRequest<FileRoute>,
    by: 'upload_key' | 'download_key',
  ): OpenJobs => {
    const { tenant_id, identification } = requireUnlocked(engine())
    identification.requireJobFile(request.params.key, by)
    markIdentified(request.raw)
    const info = {
      trace_id: request.trace_id,
      request: `${request.method} ${request.routeOptions.url?.replace(':key', '{key}')}`,
      http: getRequestMetadata(request),
      note: 'by the URL of the file',
    }
    return () => {
      const open = requireUnlocked(engine())
      // SECURITY: another vault may have been opened in the meantime.
      if (open.tenant_id !== tenant_id) throw createLockedError()
      return open.as(owner, info).accountUpdaterJobs
    }
  }
  /** The URLs whose files are being received. Two uploads at once would mix their rows. */
  const receiving = new Set<string>()
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.setErrorHandler((error, request, reply) => sendError(reply, toResponseError(error, request)))
    scope.put<FileRoute>(
      '/account-updater/uploads/:key',
      { bodyLimit: MAX_FILE_BYTES },
      async (request, reply) => {
        const openJobs = createOpenJobs(request, 'upload_key')
        // The rest of a rejected file is discarded, so that the next request on the connection can follow.
        reply.raw.once('finish', () => request.raw.resume())
        const { key } = request.params
        if (receiving.has(key))
          throw new CofferError(
            'conflict',
            'The file of this job is being uploaded. Wait until that has ended.',
          )
        receiving.add(key)
        const id = await receiveFile(openJobs, request).finally(() => receiving.delete(key))
        runAfterwards(report, 'accountUpdaterJobs', () => processJobs(openJobs, [id]), request.trace_id)
        return reply.send()
      },
    )
    scope.get<FileRoute>('/account-updater/downloads/:key', async (request, reply) => {
      const openJobs = createOpenJobs(request, 'download_key')
      const download_key = request.params.key
      const first = await openJobs().readResults({ download_key, from: 0 })
      // SECURITY: no browser may run the content as a page of the listener.
      reply.header('Content-Disposition', 'attachment').header('Content-Security-Policy', 'sandbox')
      const text = streamResults(openJobs, download_key, first)
      return reply.type('text/csv; charset=utf-8').send(Readable.from(text, { objectMode: false }))
    })
  })
}

type FileRoute = { Params: { key: string }; Body: Readable | undefined }

/** Stores an uploaded file, and starts its job. Returns the id of the job. */
async function receiveFile(
  openJobs: OpenJobs,
  { params: { key: upload_key }, headers, body, raw }: FastifyRequest<FileRoute>,
): Promise<string> {
  if (Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES) throw createTooLargeError()
  let parts = 0
  for await (const lines of readLines((body ?? raw).iterator({ destroyOnReturn: false })))
    await openJobs().putPart({ upload_key, number: parts++, lines })
  return (await openJobs().completeUpload({ upload_key, parts })).id
}

async function* streamResults(
  openJobs: OpenJobs,
  download_key: string,
  first: { readonly text: string; readonly next: number | null },
): AsyncGenerator<string> {
  let results = first
  yield results.text
  while (results.next !== null) {
    await turn()
    results = await openJobs().readResults({ download_key, from: results.next })
    yield results.text
  }
}

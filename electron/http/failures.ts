import type { FastifyReply, FastifyRequest } from 'fastify'
import { CofferError, toProblem } from '../../shared/errors.ts'
import { toCofferError } from '../engine/index.ts'
import { formatJsonFor } from './for-people.ts'

/** Turns a thrown value into the error to send, and reports internal failures. */
export type ToResponseError = (error: unknown, request: FastifyRequest) => CofferError

/** Sends the problem document of an error (rule A-05). */
export function sendError(reply: FastifyReply, error: CofferError): FastifyReply {
  if (error.headers) reply.headers(error.headers)
  if (error.retry_after !== undefined) reply.header('Retry-After', String(error.retry_after))
  if (error.service) return sendServiceError(reply, error)
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(formatJsonFor(reply.request, toProblem(error)))
}

/** Sends the error of a 3D Secure service in its own format (rule S-01). */
function sendServiceError(reply: FastifyReply, error: CofferError): FastifyReply {
  const { title, detail, status, code } = toProblem(error)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(formatJsonFor(reply.request, { error: { title, detail, status, code, error: error.service } }))
}

/**
 * Converts an error from Fastify to a CofferError. `limit` is the maximum size of the body in bytes, for the message.
 * An unknown error becomes `internal` (rule A-06).
 */
export function toErrorFromFastify(error: unknown, limit: number): CofferError {
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new CofferError('too_large', `The body is larger than ${formatSize(limit)}.`)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new CofferError('unsupported_media_type', 'The Content-Type is not supported.')
  }
  if (code === 'FST_ERR_BAD_URL') {
    return new CofferError(
      'invalid',
      'The path cannot be decoded: percent-encoded bytes must be valid UTF-8.',
      {
        cause: error,
      },
    )
  }
  if (error instanceof CofferError) return error
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new CofferError('invalid', 'The request is not valid HTTP.', { cause: error })
  }
  return toCofferError(error)
}

function formatSize(bytes: number): string {
  const KiB = bytes / 1024
  return KiB < 1024 ? `${KiB} KiB` : `${KiB / 1024} MiB`
}

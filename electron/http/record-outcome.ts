import type { FastifyRequest } from 'fastify'
import type { CofferError } from '../../shared/errors.ts'
import { type Caller, type EarlyResult, type Engine, toCofferError } from '../engine/index.ts'
import { isReadByPerson } from './for-people.ts'
import { findKey } from './keys.ts'
import { getRequestMetadata } from './request-metadata.ts'
import type { HttpRoute } from './routes.ts'

/** Returns whether the result should include its JSON text: false for HEAD, `readable` (indented) for a person. */
export function getWantedText(request: FastifyRequest): boolean | 'readable' {
  if (request.method === 'HEAD') return false
  return isReadByPerson(request) ? 'readable' : true
}

/** Returns the caller of a request, even if the key is not valid. */
export function getSender({ caller, headers }: FastifyRequest): Caller {
  return caller ?? { kind: 'key', key: findKey(headers)?.key ?? '' }
}

/** Records an error and returns it, or `storage_full` if the disk has no space for the record (case X-44). */
export function recordRejection(
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

/** Records how a request ended that did not get through the pipeline. */
export function recordOutcome(
  request: FastifyRequest,
  { name, operation }: HttpRoute,
  engine: Engine | null,
  outcome: CofferError | EarlyResult,
): void {
  const { trace_id, params } = request
  const wants_text = operation.streamed ? undefined : getWantedText(request)
  const info = { trace_id, http: getRequestMetadata(request), wants_text }
  engine?.outcomes.recordOutcome(name, getSender(request), outcome, info, params)
}

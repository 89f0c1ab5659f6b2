import type { CofferError } from '../../../shared/errors.ts'
import { toProblem } from '../../../shared/errors.ts'
import { writeReadableJson } from '../../../shared/json.ts'
import type { CallInfo, CallOutcome, RequestMetadata } from './call.ts'

/** The request's metadata with the size of the response body in bytes, if known. */
export type HttpRecord = RequestMetadata & { readonly bytes_out?: number }

/** The JSON in which a record stores this metadata. The user agent has its own column. */
export type StoredHttp = {
  readonly in?: number
  readonly out?: number
  readonly headers?: RequestMetadata['headers']
  readonly query?: RequestMetadata['query']
}

/** Returns the HTTP metadata to record once a call has ended, or null if it was not an HTTP request. */
export function toHttpRecord({ http, wants_text }: CallInfo, outcome: CallOutcome | null): HttpRecord | null {
  if (!http) return null
  const bytes_out = outcome && wants_text ? countResultBytes(outcome, wants_text === 'readable') : undefined
  return bytes_out === undefined ? http : { ...http, bytes_out }
}

function countResultBytes(outcome: CallOutcome, isReadable: boolean): number | undefined {
  if ('error' in outcome) return countErrorBytes(outcome.error, isReadable)
  const { status, text } = outcome.answer
  if (status === 204) return 0
  return text === undefined ? undefined : Buffer.byteLength(text)
}

/** Returns the size of an error's response body in bytes; undefined for an error that is sent in another format. */
function countErrorBytes(error: CofferError, isReadable: boolean): number | undefined {
  if (error.service) return undefined
  const problem = toProblem(error)
  return Buffer.byteLength(isReadable ? writeReadableJson(problem) : JSON.stringify(problem))
}

/** Formats the JSON for a record's `http` column. */
export function formatStoredHttp({ bytes_in, bytes_out, headers, query }: HttpRecord): string {
  const stored: StoredHttp = {
    ...(bytes_in !== undefined && { in: bytes_in }),
    ...(bytes_out !== undefined && { out: bytes_out }),
    ...(hasMembers(headers) && { headers }),
    ...(hasMembers(query) && { query }),
  }
  return JSON.stringify(stored)
}

function hasMembers(object: object): boolean {
  for (const _ in object) return true
  return false
}

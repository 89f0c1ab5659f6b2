import { CofferError, toErrorCode, toProblem } from '../../../../shared/errors.ts'
import { isObject, type Json } from '../../../../shared/json.ts'
import type { ReactResult } from '../../../../shared/schemas/reactor.ts'

/** The response to the caller of a reactor. */
export type RunResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The result of code, split into the response and the data to tokenize (rule F-03). */
export type ReturnedValue = { readonly answer: ReactResult; readonly tokenize: Json | undefined }

/** Parses the result of code. Throws the error of an invalid reactor if it has the wrong form (rule F-04). */
export function parseReturned(value: Json): ReturnedValue {
  if (value === null) return { answer: {}, tokenize: undefined }
  if (!isObject(value)) {
    throw createThrownError(422, 'Invalid Reactor Formula', [
      'The function must return an object with raw, tokenize, or both.',
    ])
  }
  const { raw, tokenize, body, headers } = value
  const answer: ReactResult = {
    ...(raw !== undefined && { raw }),
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  }
  // `tokenize: null` means that there is nothing to tokenize.
  return { answer, tokenize: tokenize ?? undefined }
}

/** Creates the error for a value that code threw, or for a failed run (rule F-04). */
export function createThrownError(
  status: number,
  detail: string,
  errors: readonly string[] | Readonly<Record<string, readonly string[]>>,
): CofferError {
  const byName = Array.isArray(errors) ? { error: errors as readonly string[] } : errors
  return new CofferError(toErrorCode(status), detail, {
    errors: Object.fromEntries(Object.entries(byName).map(([name, messages]) => [name, [...messages]])),
    thrown_status: status,
  })
}

/** Creates the response of a successful run. */
export function createSuccessResponse(answer: ReactResult): RunResponse {
  return createJsonResponse(200, answer)
}

export function createJsonResponse(status: number, body: unknown): RunResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  }
}

/** Creates the response of a failed run, in the format of an API error (rule A-05). */
export function createProblemResponse(error: CofferError): RunResponse {
  const response = createJsonResponse(error.status, toProblem(error))
  if (error.retry_after === undefined) return response
  return { ...response, headers: { ...response.headers, 'retry-after': String(error.retry_after) } }
}

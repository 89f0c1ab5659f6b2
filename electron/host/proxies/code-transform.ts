import { assertExactNumbers, hasInexact } from '../../../shared/code-args.ts'
import { createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json, readJson, toComputable } from '../../../shared/json.ts'
import {
  decodeBody,
  findHeader,
  getBodyFormat,
  type Headers,
  mayBeAdded,
  type ProxyCall,
  type ProxyMessage,
  parseJsonInput,
  REDACTED,
  type RedactedMessage,
  type TransformState,
} from '../../engine/index.ts'

export type MessageSide = 'request' | 'response'

/**
 * Returns the `req.args` of a transform's code, or its `event.req`, as JSON text. `statusCode` is the response's; null
 * for a request. Throws `invalid` for a number in a request that JavaScript would change (rule A-14). A response is
 * never rejected, because the destination has already handled the request.
 */
export function formatArgs(
  { message: { headers, body }, secrets }: TransformState,
  statusCode: number | null,
  call: Omit<ProxyCall, 'body'>,
): string {
  const { method, path, query } = call
  const parsedBody = parseBody(body, headers)
  const args = { body: parsedBody, headers: groupByName(headers) }
  if (statusCode !== null) return JSON.stringify({ ...args, statusCode })
  rejectInexactNumbers(parsedBody, secrets.length > 0)
  return JSON.stringify({ ...args, method, path: path === '' ? '/' : path, query })
}

function rejectInexactNumbers(body: Json, hasSecrets: boolean): void {
  if (!hasSecrets) assertExactNumbers(body, 'body')
  // SECURITY: do not name the member, because its name may come from a token that the caller may not be allowed to see.
  else if (hasInexact(body)) {
    throw createInvalidError(
      'body',
      'has a number that JavaScript cannot represent exactly: send it as a string',
    )
  }
}

function parseBody(body: Buffer | null, headers: Headers): Json {
  const text = body === null ? '' : decodeBody(body).text
  if (getBodyFormat(findHeader(headers, 'content-type')) !== 'json') return text
  try {
    return readJson(text)
  } catch {
    // The body is not JSON, although its content type says so.
    return text
  }
}

/** Converts headers to an object. The value of a repeated header is a list. */
function groupByName(headers: Headers): Record<string, Json> {
  const grouped: Record<string, string[]> = Object.create(null)
  const firstSpelling = new Map<string, string>()
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const spelling = firstSpelling.get(lower) ?? name
    firstSpelling.set(lower, spelling)
    grouped[spelling] = [...(grouped[spelling] ?? []), value]
  }
  return Object.fromEntries(
    Object.entries(grouped).map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  )
}

/**
 * Returns the message with the result of its code, and the status that the code sets, if any; parts that the result
 * omits stay unchanged. Throws `invalid` for headers and statuses that code may not set. SECURITY: `mayHoldTokens` means
 * that the code may have had token values. The result is then redacted completely, because it may contain them in
 * another form.
 */
export function applyCodeResult(
  before: TransformState,
  returned: string,
  side: MessageSide,
  mayHoldTokens: boolean,
): { readonly state: TransformState; readonly status?: number } {
  const path = `${side}_transforms`
  const value = parseJsonInput(returned, path)
  if (value === null) return { state: before }
  if (!isObject(value))
    throw createInvalidError(path, 'has code that does not return an object with body and headers')
  const { message, shown } = before
  const headers =
    value.headers === undefined ? message.headers : parseHeaders(value.headers, message.headers, path)
  const written = value.body === undefined ? message.body : toBytes(value.body)
  const after: ProxyMessage = { headers: addContentType(headers, value.body), body: written }
  const isUnchanged = value.headers === undefined && value.body === undefined
  return {
    state: { ...before, message: after, shown: isUnchanged ? shown : redactMessage(after, mayHoldTokens) },
    ...(side === 'response' &&
      value.statusCode !== undefined && { status: toStatus(value.statusCode, path) }),
  }
}

function toStatus(value: Json, path: string): number {
  const status = Number(toComputable(value))
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  throw createInvalidError(path, 'has code whose statusCode is not an integer from 200 to 599')
}

function redactMessage({ headers, body }: ProxyMessage, mayHoldTokens: boolean): RedactedMessage {
  if (!mayHoldTokens) return { headers, body: body && decodeBody(body).text }
  return { headers: headers.map(([name]) => [name, REDACTED]), body: body && REDACTED, isCoded: true }
}

function toBytes(body: Json): Buffer | null {
  if (body === null) return null
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Adds a JSON content type if the body is an object or a list and there is no content type yet. */
function addContentType(headers: Headers, body: Json | undefined): Headers {
  if (!isObject(body) && !Array.isArray(body)) return headers
  if (findHeader(headers, 'content-type') !== undefined) return headers
  return [...headers, ['Content-Type', 'application/json']]
}

function parseHeaders(returned: Json, before: Headers, path: string): Headers {
  if (!isObject(returned)) throw createInvalidError(path, 'has code whose headers are not an object')
  return Object.entries(returned).flatMap(([name, value]) => {
    if (value === null) return []
    const values = (Array.isArray(value) ? value : [value]).map(toText)
    // Code may return an existing connection header unchanged.
    const isUnchanged = values.length === 1 && findHeader(before, name.toLowerCase()) === values[0]
    // SECURITY: a line break would start another header, or another response.
    if (!isUnchanged && !mayBeAdded(name))
      throw createInvalidError(
        path,
        'has code that sets a connection header, or a header without a valid name',
      )
    if (values.some((each) => /[^\t\x20-\x7e\x80-\xff]/.test(each)))
      throw createInvalidError(path, 'has code that sets a header to an invalid value')
    return values.map((each): [string, string] => [name, each])
  })
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

import { hasInexact, refuseInexact } from '../../../shared/code-args.ts'
import { invalid } from '../../../shared/errors.ts'
import { isObject, type Json, readJson } from '../../../shared/json.ts'
import { bodyText, formOf } from '../../engine/proxies/body-text.ts'
import { type Headers, headerOf, mayBeAdded } from '../../engine/proxies/headers.ts'
import type { Message, Shown } from '../../engine/proxies/message.ts'
import type { ProxyCall } from '../../engine/proxies/prepare.ts'
import { DOTS } from '../../engine/proxies/secrets.ts'
import type { Transforming } from '../../engine/proxies/transform.ts'

type Side = 'request' | 'response'

/**
 * What the code of a transform gets as `req.args`, as JSON text. Throws `invalid` for a number of a request that it
 * would get as another (rule A-14). An answer is not refused: what the destination did cannot be taken back.
 */
export function argsOf(
  { message: { headers, body }, secrets }: Transforming,
  side: Side,
  call: Omit<ProxyCall, 'body'>,
): string {
  const { method, path, query } = call
  const given = bodyOf(body, headers)
  if (side === 'request') refuseNumbers(given, secrets.length > 0)
  const args = {
    body: given,
    headers: byName(headers),
    ...(side === 'request' && { method, path: path === '' ? '/' : path, query }),
  }
  return JSON.stringify(args)
}

function refuseNumbers(body: Json, hasSecrets: boolean): void {
  if (!hasSecrets) refuseInexact(body, 'body')
  // SECURITY: the caller may not be allowed to see the names of members that came from tokens.
  else if (hasInexact(body)) {
    throw invalid('body', 'has a number for code that JavaScript would write as another: it must be a string')
  }
}

function bodyOf(body: Buffer | null, headers: Headers): Json {
  const text = body === null ? '' : bodyText(body).text
  if (formOf(headerOf(headers, 'content-type')) !== 'json') return text
  try {
    return readJson(text)
  } catch {
    // It only says that it is JSON.
    return text
  }
}

/** Headers as an object; those that came more than once as a list. */
function byName(headers: Headers): Record<string, Json> {
  const found: Record<string, string[]> = Object.create(null)
  const spelled = new Map<string, string>()
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const spelling = spelled.get(lower) ?? name
    spelled.set(lower, spelling)
    found[spelling] = [...(found[spelling] ?? []), value]
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  )
}

/**
 * The message after its code: what the code leaves out stays as it was. Throws `invalid` for headers that no code may
 * give. SECURITY: `mayHoldTokens` says that the code had values of tokens, which it may have given another form.
 */
export function afterCode(
  before: Transforming,
  returned: string,
  side: Side,
  mayHoldTokens: boolean,
): Transforming {
  const path = `${side}_transforms`
  const value = readJson(returned)
  if (value === null) return before
  if (!isObject(value)) throw invalid(path, 'has code that returns no object with body and headers')
  const { message, shown } = before
  const headers =
    value.headers === undefined ? message.headers : headersFrom(value.headers, message.headers, path)
  const written = value.body === undefined ? message.body : bytesOf(value.body)
  const after: Message = { headers: describing(headers, value.body), body: written }
  const isUnchanged = value.headers === undefined && value.body === undefined
  return { ...before, message: after, shown: isUnchanged ? shown : shownOf(after, mayHoldTokens) }
}

function shownOf({ headers, body }: Message, mayHoldTokens: boolean): Shown {
  if (!mayHoldTokens) return { headers, body: body && bodyText(body).text }
  return { headers: headers.map(([name]) => [name, DOTS]), body: body && DOTS, isCoded: true }
}

function bytesOf(body: Json): Buffer | null {
  if (body === null) return null
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Says that an object is JSON, where nothing says what the body is. */
function describing(headers: Headers, body: Json | undefined): Headers {
  if (!isObject(body) && !Array.isArray(body)) return headers
  if (headerOf(headers, 'content-type') !== undefined) return headers
  return [...headers, ['Content-Type', 'application/json']]
}

function headersFrom(given: Json, before: Headers, path: string): Headers {
  if (!isObject(given)) throw invalid(path, 'has code whose headers are no object')
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === null) return []
    const values = (Array.isArray(value) ? value : [value]).map(textOf)
    // What was there for the connection may stay as it was.
    const isKept = values.length === 1 && headerOf(before, name.toLowerCase()) === values[0]
    // SECURITY: a line break would begin a header, or an answer, of its own.
    if (!isKept && !mayBeAdded(name))
      throw invalid(path, 'has code that gives a header for the connection, or none')
    if (values.some((each) => /[^\t\x20-\x7e\x80-\xff]/.test(each)))
      throw invalid(path, 'has code that gives a value that no header can have')
    return values.map((each): [string, string] => [name, each])
  })
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

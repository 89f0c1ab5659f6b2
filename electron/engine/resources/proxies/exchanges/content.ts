import { isUtf8 } from 'node:buffer'
import { setImmediate as turn } from 'node:timers/promises'
import type { ExchangeContent, ExchangeMessage, NewExchange } from '../../../../../shared/schemas/exchange.ts'
import { getTransformType, type ProxyTransform } from '../../../../../shared/schemas/transform.ts'
import { maskNumbers } from '../../../pipeline/log-id.ts'
import type { Headers } from '../headers.ts'
import { REDACTED } from '../secrets.ts'
import { SecretRedactor } from './secret-redactor.ts'

/** The number of characters of a body that are stored (rule G-07). */
const MAX_STORED_LENGTH = 16 * 1024
/** The number of bytes of a body that are scanned: the stored part, and space for a secret that extends beyond it. */
export const MAX_SCANNED_BYTES = 2 * MAX_STORED_LENGTH

/** The minimum length of a credential that is also redacted outside its header. Shorter ones could be common words. */
const MIN_CREDENTIAL_LENGTH = 6

/** The start of a body, and whether it is the complete body. */
export type BodyExcerpt = { readonly bytes: Buffer | string | null; readonly isWhole: boolean }

/** One call through a proxy, including its plaintext. */
export type ExchangeResult = {
  readonly trace_id: string
  readonly proxy_id: string | null
  readonly method: string
  /** The path after `/proxy`. */
  readonly path: string
  readonly query: string
  /** The complete URL that was called. */
  readonly url: string
  readonly sent: { readonly headers: Headers; readonly body: BodyExcerpt }
  readonly went_out: { readonly headers: Headers; readonly body: BodyExcerpt } | null
  readonly came_back: {
    readonly status: number
    readonly headers: Headers
    readonly body: BodyExcerpt
  } | null
  readonly handed_back: { readonly headers: Headers; readonly body: BodyExcerpt } | null
  readonly problem: { readonly status: number; readonly detail: string } | null
  readonly request_transforms: readonly ProxyTransform[]
  readonly response_transforms: readonly ProxyTransform[]
  /** Whether transform code had token values, or permission to request them. */
  readonly mayCodeHoldTokens: boolean
  readonly token_ids: readonly string[]
  readonly secrets: readonly string[]
  readonly duration_us: number
}

/**
 * Redacts a call for storage (rule G-07). SECURITY: everything stored passes through `SecretRedactor` with every
 * secret of the whole call, including those that a transform found in the response.
 */
export async function redactExchange(result: ExchangeResult): Promise<NewExchange> {
  const { method, path, query, url, secrets, problem, came_back, handed_back } = result
  const redactor = new SecretRedactor([...secrets, ...findCredentials(result.sent.headers)])
  const target = new URL(url)
  // SECURITY: which values are masked is known only after every transform has run.
  const isUnfinished = problem !== null && result.response_transforms.length > 0
  const isMasked =
    isUnfinished || result.response_transforms.some((each) => getTransformType(each) === 'mask')
  // SECURITY: code with token values may have reformatted them, also in the request, which the destination may echo.
  const mayHold = result.mayCodeHoldTokens
  const isCodedOut = mayHold && result.request_transforms.some(isCode)
  const isCodedBack = isCodedOut || (mayHold && result.response_transforms.some(isCode))
  const redactMessage = async (original: {
    headers: Headers
    body: BodyExcerpt
  }): Promise<ExchangeMessage> => {
    // Searching much text for many secrets takes time, so let other requests run in between (rule R-03).
    await turn()
    return { headers: redactHeaders(original.headers, redactor), body: redactBody(original.body, redactor) }
  }
  const content: ExchangeContent = {
    sent: {
      method,
      url: redactor.redact(`/proxy${path}`) + redactQuery(query, redactor),
      ...(await redactMessage(result.sent)),
    },
    went_out: result.went_out && {
      method,
      url: redactor.redact(target.origin + target.pathname) + redactQuery(target.search, redactor),
      ...(await redactMessage(result.went_out)),
      ...(isCodedOut && redactHeaderValues(result.went_out)),
    },
    came_back: came_back && {
      status: came_back.status,
      ...(await redactMessage(came_back)),
      ...(isCodedBack && redactHeaderValues(came_back)),
      // Values that a mask of the proxy hides from the program are not stored either.
      ...(isMasked && { body: { text: null, omitted: 'masked' as const, cut: false } }),
    },
    handed_back: handed_back && {
      ...(await redactMessage(handed_back)),
      ...(isCodedBack && redactHeaderValues(handed_back)),
    },
    problem: problem && { status: problem.status, detail: redactor.redact(problem.detail) },
    token_ids: [...new Set(result.token_ids)],
  }
  return {
    trace_id: result.trace_id,
    proxy_id: result.proxy_id,
    method,
    host: target.host,
    path: redactor.redact(target.pathname),
    status: came_back?.status ?? problem?.status ?? null,
    duration_us: result.duration_us,
    content,
  }
}

/** Returns a record without anything that may hold a secret, for a call that could not be redacted. */
export function toMinimalExchange(result: ExchangeResult): NewExchange {
  const { trace_id, proxy_id, method, url, problem, came_back, duration_us } = result
  const { origin, host } = new URL(url)
  const emptyMessage: ExchangeMessage = { headers: [], body: { text: null, omitted: 'none', cut: false } }
  return {
    trace_id,
    proxy_id,
    method,
    host,
    path: '',
    status: came_back?.status ?? problem?.status ?? null,
    duration_us,
    content: {
      sent: { method, url: '/proxy', ...emptyMessage },
      went_out: result.went_out && { method, url: origin, ...emptyMessage },
      came_back: came_back && { status: came_back.status, ...emptyMessage },
      handed_back: result.handed_back && emptyMessage,
      problem: problem && { status: problem.status, detail: 'The call failed.' },
      token_ids: [],
    },
  }
}

function isCode(transform: ProxyTransform): boolean {
  return getTransformType(transform) === 'code'
}

/** Redacts everything in a message except the names of its headers. */
function redactHeaderValues({ headers }: { readonly headers: Headers }): ExchangeMessage {
  const names = headers.map(([name]): [string, string] => [maskNumbers(name), REDACTED])
  return { headers: names, body: { text: null, omitted: 'code', cut: false } }
}

function redactBody({ bytes, isWhole }: BodyExcerpt, redactor: SecretRedactor): ExchangeMessage['body'] {
  if (bytes === null || bytes.length === 0) return { text: null, omitted: 'none', cut: false }
  if (redactor.hasTooManySecrets) return { text: null, omitted: 'too_much', cut: false }
  const isPrefix = !isWhole || bytes.length > MAX_SCANNED_BYTES
  const text =
    typeof bytes === 'string'
      ? bytes.slice(0, MAX_SCANNED_BYTES)
      : decodeText(bytes.subarray(0, MAX_SCANNED_BYTES), isPrefix)
  // Text in UTF-16 or UTF-32 contains zero bytes, and its secrets would not be found.
  if (text === null || text.includes('\0')) return { text: null, omitted: 'binary', cut: false }
  const redacted = isPrefix ? redactor.redactPrefix(text) : redactor.redact(text)
  return { text: redacted.slice(0, MAX_STORED_LENGTH), cut: isPrefix || redacted.length > MAX_STORED_LENGTH }
}

/** Decodes bytes to text; null if they are not UTF-8. A character cut off at the end is dropped. */
function decodeText(bytes: Buffer, isTruncated: boolean): string | null {
  for (let less = 0; less <= (isTruncated ? 3 : 0) && less < bytes.length; less++) {
    const part = bytes.subarray(0, bytes.length - less)
    if (isUtf8(part)) return part.toString()
  }
  return null
}

const credential = /authorization|cookie|api-?key|encrypted|secret|token|password|signature/i

function redactHeaders(headers: Headers, redactor: SecretRedactor): [string, string][] {
  if (redactor.hasTooManySecrets) return headers.map(() => [REDACTED, REDACTED])
  return headers.map(([name, value]) => [
    redactor.redact(name),
    credential.test(name) ? redactCredential(value) : redactor.redact(value).slice(0, 4096),
  ])
}

/** Finds the credentials in the headers of a call, because a destination may echo them. */
function findCredentials(headers: Headers): string[] {
  return headers
    .filter(([name, value]) => credential.test(name) && !value.includes('{{'))
    .map(([, value]) => value.replace(/^\w+ /, ''))
    .filter((value) => value.length >= MIN_CREDENTIAL_LENGTH)
}

/** Redacts a credential, except its scheme and its expressions. */
function redactCredential(value: string): string {
  const [scheme = ''] = /^(?:Basic|Bearer|Digest|Token) /i.exec(value) ?? []
  const expressions = value.match(/\{\{[^{}]*\}\}/g) ?? []
  const rest = value
    .slice(scheme.length)
    .replace(/\{\{[^{}]*\}\}/g, '')
    .trim()
  return scheme + [...expressions, ...(rest === '' && expressions.length > 0 ? [] : [REDACTED])].join(' ')
}

/** Redacts a query, except the names of its parameters. */
function redactQuery(query: string, redactor: SecretRedactor): string {
  if (query === '' || query === '?') return ''
  const pairs = query.slice(1).split('&')
  return `?${pairs.map((pair) => (pair.includes('=') ? `${redactor.redact(pair.split('=', 1)[0] ?? '')}=${REDACTED}` : redactor.redact(pair))).join('&')}`
}

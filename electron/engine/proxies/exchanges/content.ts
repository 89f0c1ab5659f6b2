import { isUtf8 } from 'node:buffer'
import { setImmediate as turn } from 'node:timers/promises'
import type { ExchangeContent, ExchangeMessage, NewExchange } from '../../../../shared/schemas/exchange.ts'
import { type ProxyTransform, typeOf } from '../../../../shared/schemas/transform.ts'
import { maskedNumbers } from '../../door/recorded-id.ts'
import type { Headers } from '../headers.ts'
import { DOTS } from '../secrets.ts'
import { Hidden } from './hide.ts'

/** The most characters of a body that are kept (rule G-07). */
const KEPT = 16 * 1024
/** The most bytes of a body that are looked at: what is kept, and what a secret at its end may need. */
export const LOOKED_AT = 2 * KEPT

/** Shorter credentials are common words. */
const LONG = 6

/** A body of a call: its beginning, and whether there was more. */
export type Glimpse = { readonly bytes: Buffer | string | null; readonly isWhole: boolean }

/** One call of a proxy as it happened, with plaintext in it. */
export type Happened = {
  readonly trace_id: string
  readonly proxy_id: string | null
  readonly method: string
  /** What followed `/proxy`. */
  readonly path: string
  readonly query: string
  /** The complete address that was called. */
  readonly url: string
  readonly sent: { readonly headers: Headers; readonly body: Glimpse }
  readonly went_out: { readonly headers: Headers; readonly body: Glimpse } | null
  readonly came_back: {
    readonly status: number
    readonly headers: Headers
    readonly body: Glimpse
  } | null
  readonly handed_back: { readonly headers: Headers; readonly body: Glimpse } | null
  readonly problem: { readonly status: number; readonly detail: string } | null
  readonly request_transforms: readonly ProxyTransform[]
  readonly response_transforms: readonly ProxyTransform[]
  /** The code of transforms, if there is any, had values of tokens, or could ask for them. */
  readonly mayCodeHoldTokens: boolean
  readonly token_ids: readonly string[]
  readonly secrets: readonly string[]
  readonly duration_us: number
}

/**
 * Returns what may be kept of a call (rule G-07). SECURITY: nothing is kept that has not gone through `Hidden` with
 * every secret of the whole call, those that a transform found on the way back included.
 */
export async function exchangeOf(happened: Happened): Promise<NewExchange> {
  const { method, path, query, url, secrets, problem, came_back, handed_back } = happened
  const hidden = new Hidden([...secrets, ...credentialsIn(happened.sent.headers)])
  const target = new URL(url)
  // SECURITY: what transforms were to make tokens of is known only once they have all run.
  const isUnfinished = problem !== null && happened.response_transforms.length > 0
  const isMasked = isUnfinished || happened.response_transforms.some((each) => typeOf(each) === 'mask')
  // SECURITY: code with values of tokens may have given them any form, also to the destination, which may echo them.
  const mayHold = happened.mayCodeHoldTokens
  const isCodedOut = mayHold && happened.request_transforms.some(isCode)
  const isCodedBack = isCodedOut || (mayHold && happened.response_transforms.some(isCode))
  const message = async (given: { headers: Headers; body: Glimpse }): Promise<ExchangeMessage> => {
    // Many secrets in much text take time: other requests go in between (rule R-03).
    await turn()
    return { headers: headersOf(given.headers, hidden), body: bodyOf(given.body, hidden) }
  }
  const content: ExchangeContent = {
    sent: {
      method,
      url: hidden.in(`/proxy${path}`) + queryOf(query, hidden),
      ...(await message(happened.sent)),
    },
    went_out: happened.went_out && {
      method,
      url: hidden.in(target.origin + target.pathname) + queryOf(target.search, hidden),
      ...(await message(happened.went_out)),
      ...(isCodedOut && coded(happened.went_out)),
    },
    came_back: came_back && {
      status: came_back.status,
      ...(await message(came_back)),
      ...(isCodedBack && coded(came_back)),
      // What a mask of the proxy hides from the program is not kept for anybody else.
      ...(isMasked && { body: { text: null, omitted: 'masked' as const, cut: false } }),
    },
    handed_back: handed_back && { ...(await message(handed_back)), ...(isCodedBack && coded(handed_back)) },
    problem: problem && { status: problem.status, detail: hidden.in(problem.detail) },
    token_ids: [...new Set(happened.token_ids)],
  }
  return {
    trace_id: happened.trace_id,
    proxy_id: happened.proxy_id,
    method,
    host: target.host,
    path: hidden.in(target.pathname),
    status: came_back?.status ?? problem?.status ?? null,
    duration_us: happened.duration_us,
    content,
  }
}

/** What is known of a call whose secrets could not be hidden: nothing that could hold one. */
export function bareExchangeOf(happened: Happened): NewExchange {
  const { trace_id, proxy_id, method, url, problem, came_back, duration_us } = happened
  const { origin, host } = new URL(url)
  const bare: ExchangeMessage = { headers: [], body: { text: null, omitted: 'none', cut: false } }
  return {
    trace_id,
    proxy_id,
    method,
    host,
    path: '',
    status: came_back?.status ?? problem?.status ?? null,
    duration_us,
    content: {
      sent: { method, url: '/proxy', ...bare },
      went_out: happened.went_out && { method, url: origin, ...bare },
      came_back: came_back && { status: came_back.status, ...bare },
      handed_back: happened.handed_back && bare,
      problem: problem && { status: problem.status, detail: 'The call failed.' },
      token_ids: [],
    },
  }
}

function isCode(transform: ProxyTransform): boolean {
  return typeOf(transform) === 'code'
}

/** A message of which only the names of headers may be shown. */
function coded({ headers }: { readonly headers: Headers }): ExchangeMessage {
  const names = headers.map(([name]): [string, string] => [maskedNumbers(name), DOTS])
  return { headers: names, body: { text: null, omitted: 'code', cut: false } }
}

function bodyOf({ bytes, isWhole }: Glimpse, hidden: Hidden): ExchangeMessage['body'] {
  if (bytes === null || bytes.length === 0) return { text: null, omitted: 'none', cut: false }
  if (hidden.isTooMuch) return { text: null, omitted: 'too_much', cut: false }
  const isBeginning = !isWhole || bytes.length > LOOKED_AT
  const text =
    typeof bytes === 'string' ? bytes.slice(0, LOOKED_AT) : textOf(bytes.subarray(0, LOOKED_AT), isBeginning)
  // Text in a wider encoding has zero bytes, and its secrets would not be found.
  if (text === null || text.includes('\0')) return { text: null, omitted: 'binary', cut: false }
  const shown = isBeginning ? hidden.inBeginning(text) : hidden.in(text)
  return { text: shown.slice(0, KEPT), cut: isBeginning || shown.length > KEPT }
}

/** Bytes as text; null if they are none. A character that was cut at the end is left out. */
function textOf(bytes: Buffer, isCut: boolean): string | null {
  for (let less = 0; less <= (isCut ? 3 : 0) && less < bytes.length; less++) {
    const part = bytes.subarray(0, bytes.length - less)
    if (isUtf8(part)) return part.toString()
  }
  return null
}

const credential = /authorization|cookie|api-?key|encrypted|secret|token|password|signature/i

function headersOf(headers: Headers, hidden: Hidden): [string, string][] {
  if (hidden.isTooMuch) return headers.map(() => [DOTS, DOTS])
  return headers.map(([name, value]) => [
    hidden.in(name),
    credential.test(name) ? credentialOf(value) : hidden.in(value).slice(0, 4096),
  ])
}

/** The credentials of a call as they are written; a destination may answer with them. */
function credentialsIn(headers: Headers): string[] {
  return headers
    .filter(([name, value]) => credential.test(name) && !value.includes('{{'))
    .map(([, value]) => value.replace(/^\w+ /, ''))
    .filter((value) => value.length >= LONG)
}

/** A credential keeps its scheme and the expressions it is written with. */
function credentialOf(value: string): string {
  const [scheme = ''] = /^(?:Basic|Bearer|Digest|Token) /i.exec(value) ?? []
  const expressions = value.match(/\{\{[^{}]*\}\}/g) ?? []
  const rest = value
    .slice(scheme.length)
    .replace(/\{\{[^{}]*\}\}/g, '')
    .trim()
  return scheme + [...expressions, ...(rest === '' && expressions.length > 0 ? [] : [DOTS])].join(' ')
}

/** A query with its names; its values may be anything. */
function queryOf(query: string, hidden: Hidden): string {
  if (query === '' || query === '?') return ''
  const pairs = query.slice(1).split('&')
  return `?${pairs.map((pair) => (pair.includes('=') ? `${hidden.in(pair.split('=', 1)[0] ?? '')}=${DOTS}` : hidden.in(pair))).join('&')}`
}

import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../shared/errors.ts'
import { formatCount } from '../../shared/format-count.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { toOutboundError } from '../outbound/outbound-error.ts'
import { MAX_PAUSE_MS, RequestPace } from './request-pace.ts'

const MAX_ATTEMPTS = 6
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000

export type ConformRequest = {
  readonly method: string
  /** With its query. It begins with a slash. */
  readonly path: string
  readonly key: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Statuses that are expected, so that the request is not repeated because of them. */
  readonly expected?: readonly number[]
}

export type ConformAnswer = {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or text if it is not JSON; undefined if it is empty. */
  readonly body: unknown
}

type ConformServerOptions = {
  /** Base URL, which may have a path. */
  readonly url: string
  readonly outbound: Pick<Outbound, 'send'>
  readonly managementKey: string | undefined
}

/** Whether a URL names this machine. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** A server that is checked from outside. Requests stay within its limits, and are repeated where that is safe. */
export class ConformServer {
  readonly url: string
  readonly host: string
  readonly #options: ConformServerOptions
  readonly #pace: RequestPace
  /** How many requests were sent. */
  requests = 0

  constructor(options: ConformServerOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.host = new URL(options.url).host
    this.#options = options
    this.#pace = new RequestPace({ isLocal: isLoopback(options.url) })
  }

  /**
   * Sends a request, again after a 429, and again after a lost connection or a failure of a gateway unless it could then be
   * done twice. Throws `bad_gateway` or `timeout` if there is no answer, `rate_limited` if the server goes on limiting,
   * `cancelled` when stopped, and `forbidden` for a destination that is not allowed.
   */
  async sendRequest(request: ConformRequest, signal?: AbortSignal): Promise<ConformAnswer> {
    const { key = '' } = request
    for (let attempt = 1; ; attempt++) {
      await this.#waitForTurn(key, signal)
      // A request that has been sent is awaited even after a stop, so that what it creates can be deleted.
      const answer = await this.#sendOnce(request).catch((error: unknown) => {
        if (isLost(error) && isRepeatable(request) && attempt < MAX_ATTEMPTS) return undefined
        throw error
      })
      if (answer && !this.#mustRepeat(request, answer, attempt)) return answer
      if (answer?.status !== 429)
        await delay(100 * 2 ** attempt, undefined, signal && { signal }).catch(() => {})
    }
  }

  /** Whether a request is sent again. Notes how long its key has to wait. Throws `rate_limited`. */
  #mustRepeat(request: ConformRequest, { status, headers }: ConformAnswer, attempt: number): boolean {
    const { key = '', expected = [] } = request
    const isLimited = status === 429 && !expected.includes(status)
    const pause = this.#pace.applyAnswer(key, { isLimited, headers, attempt })
    const isLast = attempt === MAX_ATTEMPTS
    if (isLimited && (isLast || pause > MAX_PAUSE_MS)) throw createLimitedError(this.host, pause)
    return isLimited || (hasGatewayFailed(request, status) && isRepeatable(request) && !isLast)
  }

  async #waitForTurn(key: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw createStoppedError(0)
    await this.#pace.waitForTurn(key, key === this.#options.managementKey, signal).catch(() => {
      throw createStoppedError(0)
    })
  }

  async #sendOnce({ method, path, key, headers = {}, body }: ConformRequest): Promise<ConformAnswer> {
    this.requests++
    const hasBody = body !== undefined
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const sent = {
      accept: 'application/json',
      'user-agent': 'coffer-conform',
      ...(key !== undefined && { 'BT-API-KEY': key }),
      ...(hasBody && !hasContentType(headers) && { 'Content-Type': type }),
      ...headers,
    }
    const response = await this.#options.outbound.send({
      method,
      url: this.url + path,
      headers: Object.entries(sent),
      body: hasBody ? Buffer.from(body) : null,
      timeout_ms: TIMEOUT_MS,
    })
    const received: Record<string, string> = {}
    for (const [name, value] of response.headers) {
      const lower = name.toLowerCase()
      received[lower] = received[lower] === undefined ? value : `${received[lower]}, ${value}`
    }
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of response.body) {
        bytes += chunk.length
        if (bytes > MAX_ANSWER_BYTES)
          throw new CofferError('too_large', `${response.host} answers with more than 8 MiB.`)
        chunks.push(chunk)
      }
    } catch (error) {
      throw toOutboundError(error, response.host)
    }
    return { status: response.status, headers: received, body: parseBody(Buffer.concat(chunks).toString()) }
  }
}

/** Whether a request has the same effect if it is sent twice. */
const isRepeatable = ({ method }: ConformRequest) => method !== 'POST'

const isLost = (error: unknown) =>
  error instanceof CofferError && (error.code === 'bad_gateway' || error.code === 'timeout')

const hasGatewayFailed = ({ expected = [] }: ConformRequest, status: number) =>
  status >= 502 && status <= 504 && !expected.includes(status)

const hasContentType = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')

function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Says how many resources a run has not deleted, and what becomes of them. */
export function formatLeft(left: number): string {
  return `${formatCount(left, 'resource')} could not be deleted. The next run with the same keys tries again.`
}

/** The error of a run that was stopped, which could not delete so many resources. */
export function createStoppedError(left: number): CofferError {
  const rest = left > 0 ? formatLeft(left) : 'Everything that the run had created was deleted.'
  return new CofferError('cancelled', `Stopped. ${rest}`)
}

function createLimitedError(host: string, pause_ms: number): CofferError {
  const hours = pause_ms / 3_600_000
  const wait =
    hours >= 1 ? formatCount(Math.round(hours), 'hour') : formatCount(Math.ceil(pause_ms / 60_000), 'minute')
  return new CofferError('rate_limited', `${host} limits this key. Run the statements again in ${wait}.`)
}

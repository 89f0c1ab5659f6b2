import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { z } from '../../../shared/zod.ts'
import { openRequest } from '../../outbound/open-request.ts'
import { createMissingPermissionError } from './missing-permission.ts'

export type PushTarget = {
  readonly url: string
  readonly key: string
  readonly signal?: AbortSignal | undefined
  /** Whether to write nothing to the server. Each item then counts as created. */
  readonly preview?: boolean | undefined
}

/** The outcome of pushing one item. SECURITY: only a status, because the server's message may repeat the data. */
export type PushOutcome =
  | { readonly as: 'created'; readonly id: string | undefined }
  | { readonly as: 'existing' }
  | { readonly as: 'refused'; readonly status: number }

const created = z.object({ id: z.string() })

/** How many requests a push sends at the same time. */
export const MAX_CONCURRENT_REQUESTS = 32
const MAX_ATTEMPTS = 5
const MAX_RETRY_DELAY_MS = 60_000
/** How long one request may take, so that a server that never finishes its response does not stop a push for good. */
const READ_TIMEOUT_MS = 60_000
const WRITE_TIMEOUT_MS = 600_000
/** A longer response is not of this API, and counts as one without JSON. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

/**
 * Posts one item with its idempotency key, and retries while the server is busy or unreachable. Throws
 * `unauthenticated` if the server does not accept the key, `unavailable` if the server stays unreachable, redirects, or
 * does not return what it created, `cancelled` when stopped.
 */
export async function pushItem(
  target: PushTarget,
  path: string,
  idempotency_key: string,
  body: object,
): Promise<PushOutcome> {
  return postItem(target, path, { method: 'POST', idempotency_key, ...parseJsonBody(body) })
}

/** Replaces an existing resource with PUT. Otherwise the same as `pushItem`. */
export function putItem(
  target: PushTarget,
  path: string,
  idempotency_key: string,
  body: object,
): Promise<PushOutcome> {
  return postItem(target, path, { method: 'PUT', idempotency_key, ...parseJsonBody(body) })
}

/** Posts a streamed body, which is created again for each attempt. Otherwise the same as `pushItem`. */
export function pushStream(
  target: PushTarget,
  path: string,
  idempotency_key: string,
  body: { readonly type: string; stream(): AsyncIterable<Uint8Array> },
): Promise<PushOutcome> {
  return postItem(target, path, {
    method: 'POST',
    idempotency_key,
    type: body.type,
    body: () => body.stream(),
  })
}

function parseJsonBody(body: object): Pick<PushRequest, 'type' | 'body'> {
  return { type: 'application/json', body: () => JSON.stringify(body) }
}

async function postItem(target: PushTarget, path: string, request: PushRequest): Promise<PushOutcome> {
  if (target.preview) return { as: 'created', id: randomUUID() }
  const { ok, status, content } = await sendWithRetry(target, path, request)
  const id = created.safeParse(parseContent(content)).data?.id
  // Any web server may respond with 200. Without an id, nothing shows that it stored the item.
  if (ok && request.method === 'POST' && id === undefined)
    throw new CofferError(
      'unavailable',
      `${target.url} responded with ${status}, but not with what it created. Check that this is the base URL of a server with the same API, and run the command again.`,
    )
  if (ok) return { as: 'created', id }
  return status === 409 ? { as: 'existing' } : { as: 'refused', status }
}

/**
 * Returns a function to call with each outcome, which throws `problem` if the first `limit` outcomes are all 403. A key
 * may have access to only some containers, so once an item is accepted, later rejections are reported one by one.
 */
export function createForbiddenCheck(limit: number, problem: CofferError): (outcome: PushOutcome) => void {
  let forbidden = 0
  return (outcome) => {
    if (outcome.as !== 'refused') forbidden = Number.NEGATIVE_INFINITY
    else if (outcome.status === 403 && ++forbidden >= limit) throw problem
  }
}

/**
 * Reads JSON from the server; `json` is undefined if the response is not JSON. Returns null for 404. Throws
 * `forbidden` if the key lacks the permission, and what `pushItem` throws.
 */
export async function getJson(
  target: PushTarget,
  path: string,
  permission: Permission,
): Promise<{ json: unknown } | null> {
  const { status, json } = await fetchAnswer(target, path)
  if (status === 404) return null
  if (status === 403) throw createMissingPermissionError(target.url, permission)
  if (status < 200 || status > 299)
    throw new CofferError('unavailable', `${target.url} responded with ${status}.`)
  return { json }
}

/**
 * Reads a path of the server, whatever its status; `json` is undefined if the response is not JSON. Throws what
 * `pushItem` throws.
 */
export async function fetchAnswer(
  target: PushTarget,
  path: string,
): Promise<{ status: number; json: unknown }> {
  const { status, content } = await sendWithRetry(target, path)
  return { status, json: parseContent(content) }
}

function parseContent(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString())
  } catch {
    return undefined
  }
}

/** When each server that limited a request takes the next one, in epoch ms. All requests to it wait until then. */
const pauses = new Map<string, number>()

type PushRequest = {
  readonly method: 'POST' | 'PUT'
  readonly idempotency_key: string
  readonly type: string
  body(): string | AsyncIterable<Uint8Array>
}
type PushResponse = { readonly ok: boolean; readonly status: number; readonly content: Buffer }

async function sendWithRetry(target: PushTarget, path: string, request?: PushRequest): Promise<PushResponse> {
  const { url } = target
  for (let attempt = 1; ; attempt++) {
    await waitUnlessStopped((pauses.get(url) ?? 0) - Date.now(), target)
    const response = await sendOnce(target, path, request)
    if (response) assertUsable(url, response)
    if (response && response.status !== 429 && response.status < 500) return response
    if (attempt === MAX_ATTEMPTS) {
      const outcome = response ? `responded with ${response.status}` : 'does not respond'
      throw new CofferError('unavailable', `${url} ${outcome}. Run the same command again to resume.`)
    }
    const ms = getRetryDelay(response?.retry_after, attempt)
    if (response?.status === 429) pauseRequests(url, ms)
    else await waitUnlessStopped(ms, target)
  }
}

function pauseRequests(url: string, ms: number): void {
  pauses.set(url, Math.max(pauses.get(url) ?? 0, Date.now() + ms))
}

/** Waits, if `ms` is positive. Throws `cancelled` if the push is stopped. */
async function waitUnlessStopped(ms: number, { signal }: PushTarget): Promise<void> {
  if (signal?.aborted) throw createStoppedError()
  if (ms <= 0) return
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {
    throw createStoppedError()
  })
}

/** Throws if every other request would get the same response. */
function assertUsable(url: string, { status }: PushResponse): void {
  if (status === 401) throw new CofferError('unauthenticated', `${url} does not accept this key.`)
  if (status >= 300 && status < 400)
    throw new CofferError(
      'unavailable',
      `${url} responded with a redirect (${status}), which a push does not follow. Run the command again with the URL of the server itself.`,
    )
}

async function sendOnce({ url, key, signal }: PushTarget, path: string, request?: PushRequest) {
  const timeout = AbortSignal.timeout(request ? WRITE_TIMEOUT_MS : READ_TIMEOUT_MS)
  try {
    // SECURITY: follows no redirect, which would send the key and plaintext to a host that the owner did not choose.
    const sent = openRequest(new URL(path.slice(1), withSlash(url)), {
      method: request?.method ?? 'GET',
      // Sends both names of each header, because servers differ in which one they read.
      headers: {
        'SVC-API-KEY': key,
        'BT-API-KEY': key,
        ...(request && {
          'SVC-IDEMPOTENCY-KEY': request.idempotency_key,
          'BT-IDEMPOTENCY-KEY': request.idempotency_key,
          'Content-Type': request.type,
        }),
      },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    // The listener stays, because a connection can break after the response has begun.
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', reject)
    })
    const body = request?.body()
    if (body === undefined || typeof body === 'string') sent.end(body)
    // A failure also rejects `answered`.
    else pipeline(body, sent, () => {})
    const response = await answered
    const { statusCode: status = 0, headers } = response
    const content = await readContent(response)
    return { ok: status >= 200 && status < 300, status, retry_after: headers['retry-after'], content }
  } catch {
    return undefined
  }
}

/** Reads a response; empty if it is longer than `MAX_RESPONSE_BYTES`. */
async function readContent(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) return Buffer.alloc(0)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

/** `Retry-After` is in seconds or a date. */
function getRetryDelay(retry_after: string | undefined, attempt: number): number {
  const seconds = Number(retry_after)
  const asked = Number.isNaN(seconds) ? Date.parse(retry_after ?? '') - Date.now() : seconds * 1000
  return Math.min(asked > 0 ? asked : 100 * 2 ** attempt, MAX_RETRY_DELAY_MS)
}

function createStoppedError(): CofferError {
  return new CofferError(
    'cancelled',
    'Stopped. The copied items stay on the server. Run the same command again to resume.',
  )
}

import { setTimeout as delay } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'

export type PushTarget = {
  readonly url: string
  readonly key: string
  readonly signal?: AbortSignal | undefined
}

/** What became of one thing that was pushed. SECURITY: a status alone; what the server says may repeat the data. */
export type Outcome =
  | { readonly as: 'created' | 'existing' }
  | { readonly as: 'refused'; readonly status: number }

const TRIES = 5
const LONGEST_WAIT_MS = 60_000

/**
 * Posts one thing with its idempotency key, again where the server is busy or away. Throws `unauthenticated` for a key
 * the server does not take, `unavailable` where it stays away, `conflict` when stopped.
 */
export async function push(
  { url, key, signal }: PushTarget,
  path: string,
  idempotency_key: string,
  body: Json,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw stopped()
    const response = await send(new URL(path.slice(1), withSlash(url)), key, idempotency_key, body, signal)
    if (response?.ok) return { as: 'created' }
    if (response?.status === 401) {
      throw new CofferError('unauthenticated', `${url} does not take this key.`)
    }
    const isAway = !response || response.status === 429 || response.status >= 500
    if (response && !isAway) {
      return response.status === 409 ? { as: 'existing' } : { as: 'refused', status: response.status }
    }
    if (attempt === TRIES) {
      const answer = response ? `answers ${response.status}` : 'does not answer'
      throw new CofferError('unavailable', `${url} ${answer}. The same command goes on from here.`)
    }
    await delay(waitOf(response, attempt), undefined, signal ? { signal } : {}).catch(() => {
      throw stopped()
    })
  }
}

async function send(url: URL, key: string, idempotency_key: string, body: Json, signal?: AbortSignal) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Both names of each header: which of them a server reads depends on where it comes from.
      headers: {
        'SVC-API-KEY': key,
        'BT-API-KEY': key,
        'SVC-IDEMPOTENCY-KEY': idempotency_key,
        'BT-IDEMPOTENCY-KEY': idempotency_key,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
      // SECURITY: a redirect would take key and plaintext to somewhere nobody named.
      redirect: 'error',
      ...(signal && { signal }),
    })
    await response.arrayBuffer()
    return response
  } catch {
    return undefined
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

function waitOf(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get('retry-after'))
  return Math.min(seconds > 0 ? seconds * 1000 : 100 * 2 ** attempt, LONGEST_WAIT_MS)
}

function stopped(): CofferError {
  return new CofferError(
    'conflict',
    'Stopped. What was copied stays there; the same command goes on from here.',
  )
}

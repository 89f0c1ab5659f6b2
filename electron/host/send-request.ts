import { CofferError, createInvalidError } from '../../shared/errors.ts'
import type { ListenerState } from '../../shared/host/status.ts'
import { z } from '../../shared/zod.ts'

const requestHeader = z.enum([
  'svc-api-key',
  'bt-api-key',
  'content-type',
  'svc-trace-id',
  'svc-idempotency-key',
  'svc-proxy-key',
  'svc-proxy-url',
])

/** A request to the listener, as a program might send it. */
export const listenerRequest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().max(8000).startsWith('/'),
  headers: z.partialRecord(requestHeader, z.string().max(1000)),
  body: z.string().max(4_000_000).optional(),
})

export const listenerResponse = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  duration_ms: z.number(),
})

const REQUEST_TIMEOUT_MS = 60_000

/** The requests that wait for a response, by trace ID. */
const waiting = new Map<string, AbortController>()

/** Closes the connection of the request with a trace ID, if it waits for its response. */
export function cancelRequest(trace_id: string): void {
  waiting.get(trace_id)?.abort()
}

/**
 * Sends one request to this program's own listener, as an outside program would, and returns the response. Throws
 * `conflict` while the listener is off, `invalid` for headers that HTTP cannot carry, and `unavailable` if the
 * listener drops the connection or does not respond in time, and `cancelled` after `cancelRequest`.
 */
export async function sendRequest(
  listener: ListenerState,
  { method, path, headers, body }: z.output<typeof listenerRequest>,
): Promise<z.output<typeof listenerResponse>> {
  if (listener.state !== 'on') {
    throw new CofferError('conflict', 'The listener is off. Start it, then send the request again.')
  }
  try {
    new Headers(headers)
  } catch {
    // SECURITY: the original error is replaced, because it would repeat the key.
    throw createInvalidError('headers', 'have a character that a header or key cannot have')
  }
  const started = performance.now()
  const controller = new AbortController()
  const trace_id = headers['svc-trace-id'] ?? ''
  waiting.set(trace_id, controller)
  try {
    // SECURITY: the path begins with a slash, so the request cannot go to another host.
    const response = await fetch(listener.url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([controller.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text,
      duration_ms: performance.now() - started,
    }
  } catch (error) {
    if (controller.signal.aborted) throw new CofferError('cancelled', 'The request was cancelled.')
    throw new CofferError('unavailable', 'The listener did not respond to the request.', { cause: error })
  } finally {
    waiting.delete(trace_id)
  }
}

import { CofferError, createInvalidError } from '../../shared/errors.ts'
import type { ListenerRequest, ListenerResponse } from '../../shared/host/commands.ts'
import type { ListenerState } from '../../shared/host/status.ts'

const REQUEST_TIMEOUT_MS = 60_000

/**
 * Sends one request to this program's own listener, as an outside program would, and returns the response. Throws
 * `conflict` while the listener is off, `invalid` for headers that HTTP cannot carry, and `unavailable` if the
 * listener drops the connection or does not respond in time.
 */
export async function sendRequest(
  listener: ListenerState,
  { method, path, headers, body }: ListenerRequest,
): Promise<ListenerResponse> {
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
  try {
    // SECURITY: the path begins with a slash, so the request cannot go to another host.
    const response = await fetch(listener.url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
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
    throw new CofferError('unavailable', 'The listener did not respond to the request.', { cause: error })
  }
}

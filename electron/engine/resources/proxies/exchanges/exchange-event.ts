import type { Json } from '../../../../../shared/json.ts'
import type { ExchangeMessage, NewExchange } from '../../../../../shared/schemas/exchange.ts'

type EventProxy = { readonly id: string; readonly name: string } | null

/**
 * Returns the event data of a call through a proxy (rule W-01). SECURITY: the data comes from the stored exchange,
 * in which token values are redacted (rules G-07, W-05).
 */
export function toExchangeEventData(
  exchange: NewExchange,
  proxy: EventProxy,
): { readonly [name: string]: Json } {
  const { content, status, duration_us } = exchange
  const { sent, went_out, came_back, problem } = content
  const elapsed_ms = Math.round(duration_us / 1000)
  const url = went_out?.url ?? sent.url
  const [address = '', query] = url.split('?', 2)
  const error = problem?.detail ?? null
  // An error that occurred before anything was sent to the destination is reported with the request.
  const isOfRequest = error !== null && went_out === null
  return {
    proxy: {
      id: proxy?.id ?? null,
      name: proxy?.name ?? null,
      type: proxy ? 'pre-configured' : 'ephemeral',
      response: { ...(error !== null && { error }), status, elapsed_ms },
    },
    destination: {
      request: {
        body: went_out?.body.text ?? null,
        headers: groupHeaders(went_out),
        method: exchange.method,
        query: query === undefined ? '' : `?${query}`,
        url: address,
      },
      response: {
        body: came_back?.body.text ?? null,
        elapsed_ms,
        headers: groupHeaders(came_back),
        status: came_back?.status ?? null,
      },
    },
    request_transform: { response: { error: isOfRequest ? error : null } },
    response_transform: { response: { error: isOfRequest ? null : came_back && error } },
    request: { headers: groupHeaders(sent), method: exchange.method, url: sent.url },
    response: { headers: groupHeaders(content.handed_back ?? came_back), status_code: status, elapsed_ms },
  }
}

/** Groups headers by name, with a list of values for each name. */
function groupHeaders(message: Pick<ExchangeMessage, 'headers'> | null): Record<string, Json> {
  const all: Record<string, string[]> = Object.create(null)
  for (const [name, value] of message?.headers ?? []) all[name] = [...(all[name] ?? []), value]
  return { ...all }
}

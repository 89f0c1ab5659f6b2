import { toHref } from '../../parts/navigation/route-text.ts'
import type { LogListRecord } from './record.ts'

/**
 * Link to the form that sends a record's request again: *Try it* for a proxied call, or else the request
 * builder. Null if the record is not from an operation of the API.
 */
export function getResendHref(
  { id, action, method, path, entity_id }: LogListRecord,
  operations: readonly { readonly id: string }[],
): string | null {
  // The record of a proxied call does not contain the request, and the builder has no form for such a
  // request.
  const isProxied =
    action.startsWith('proxies.') && path?.startsWith('/proxy') === true && !path.startsWith('/proxies')
  if (isProxied) return toHref('proxies', null, { view: 'try', proxy: entity_id, method, path })
  if (!operations.some((each) => each.id === action)) return null
  return toHref('requests', null, { new: '1', op: action, again: id })
}

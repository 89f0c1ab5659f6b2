import { toHref } from '../../parts/navigation/route-text.ts'
import type { LogListRecord } from './record.ts'

/** The place where the request of a record can be sent again; null if it is no operation of the interface. */
export function getResendHref(
  { id, operation, method, path, entity_id }: LogListRecord,
  operations: readonly { readonly id: string }[],
): string | null {
  // What a proxied call sent cannot be known from its record, and the builder has no form for it.
  const isProxied =
    operation.startsWith('proxies.') && path?.startsWith('/proxy') === true && !path.startsWith('/proxies')
  if (isProxied) return toHref('proxies', null, { view: 'try', proxy: entity_id, method, path })
  if (!operations.some((each) => each.id === operation)) return null
  return toHref('requests', null, { new: '1', op: operation, again: id })
}

import { isObject, type Json } from '../../../../shared/json.ts'
import type { Settings } from '../../../../shared/settings.ts'
import type { TokenType } from '../../../../shared/token-types.ts'

/** Whether the data of a token holds a cvc that must go after the retention quota (T-15). */
export function hasCvc(type: TokenType, data: Json): boolean {
  return type === 'card' && isObject(data) && (data.cvc ?? null) !== null
}

/** The data of a card without its cvc (T-15); everything else stays as it was. */
export function withoutCvc(data: Json): Json {
  if (!isObject(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'cvc'))
}

/**
 * Whether a cvc that came at `stored_at` is past its retention (T-15). A clock set back by more than the retention
 * counts too, so that it cannot keep a cvc for long.
 */
export function isCvcGone(
  stored_at: number,
  { settings, now }: { readonly settings: Pick<Settings, 'cvc_retention_seconds'>; readonly now: number },
): boolean {
  return Math.abs(now - stored_at) >= settings.cvc_retention_seconds * 1000
}

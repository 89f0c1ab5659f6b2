import { isObject, type Json } from '../../../../../shared/json.ts'
import type { TenantSettings } from '../../../../../shared/settings.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'

/** Whether a token's data has a cvc, which must be deleted after its retention time (T-15). */
export function hasCvc(type: TokenType, data: Json): boolean {
  return type === 'card' && isObject(data) && (data.cvc ?? null) !== null
}

/** Returns a copy of a card's data without the cvc (T-15). */
export function removeCvc(data: Json): Json {
  if (!isObject(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'cvc'))
}

/**
 * Whether a cvc stored at `stored_at` is past its retention time (T-15). Returns true too if the clock was set back
 * by more than that time, so that setting it back cannot preserve a cvc.
 */
export function isCvcExpired(
  stored_at: number,
  {
    settings,
    now,
  }: { readonly settings: Pick<TenantSettings, 'cvc_retention_seconds'>; readonly now: number },
): boolean {
  return Math.abs(now - stored_at) >= settings.cvc_retention_seconds * 1000
}

import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { isTextType } from '../../../shared/token-types.ts'
import type { Decrypted } from './call.ts'

/** Returns the compact JWE in the request of one token or token intent, if it has one (rule C-02). */
export function getEncrypted(request: unknown): string[] {
  return isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : []
}

/** Returns the error for a JWE that cannot be used. SECURITY: the message is the same for every cause. */
export function createNotDecryptedError(): CofferError {
  return createInvalidError('encrypted', 'cannot be decrypted with a client encryption key')
}

/**
 * Returns the data of a request, decrypting it if necessary; undefined if the request has neither `data` nor
 * `encrypted`. Throws `invalid` if the request has both, or if the JWE cannot be decrypted.
 */
export function resolveData(
  context: { getDecrypted(jwe: string): Decrypted },
  {
    type,
    data,
    encrypted,
  }: {
    readonly type?: string | undefined
    readonly data?: Json | undefined
    readonly encrypted?: string | undefined
  },
): Json | undefined {
  if (encrypted === undefined) return data
  if (data !== undefined) throw createInvalidError('encrypted', 'replaces data; send one or the other')
  const { value, text } = context.getDecrypted(encrypted)
  // Some clients encrypt a string without the JSON quotation marks, so a string of digits parses as a JSON number.
  return isTextType(type) && typeof value !== 'string' ? text : value
}

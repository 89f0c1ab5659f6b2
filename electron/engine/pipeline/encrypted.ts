import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { isTextType } from '../../../shared/token-types.ts'
import type { Context } from './context.ts'

/** Returns the compact JWE in the request of one token or token intent, if it has one (rule C-02). */
export function getEncrypted(request: unknown): string[] {
  return isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : []
}

/** Returns the error for a JWE that cannot be used. SECURITY: one message for every cause. */
export function createNotDecryptedError(): CofferError {
  return createInvalidError('encrypted', 'cannot be decrypted with a client encryption key')
}

/**
 * Returns the data of a request, decrypted if need be; undefined without either. Throws `invalid` for both, and
 * for a JWE that cannot be decrypted.
 */
export function resolveData(
  context: Context,
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
  if (data !== undefined)
    throw createInvalidError('encrypted', 'takes the place of data; give one or the other')
  const { value, text } = context.getDecrypted(encrypted)
  // Some clients encrypt a text without JSON quotes, and digits alone parse as a JSON number.
  return isTextType(type) && typeof value !== 'string' ? text : value
}

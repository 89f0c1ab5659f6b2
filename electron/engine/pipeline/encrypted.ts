import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { isTextType } from '../../../shared/token-types.ts'
import type { Context } from './context.ts'

/** What a client has encrypted in the request of one token or token intent: at most one compact JWE (rule C-02). */
export function getEncrypted(request: unknown): string[] {
  return isObject(request) && typeof request.encrypted === 'string' ? [request.encrypted] : []
}

/** The error for whatever is wrong with what a client has encrypted. SECURITY: one message for everything. */
export function createNotDecryptedError(): CofferError {
  return createInvalidError('encrypted', 'cannot be decrypted with a client encryption key')
}

/** The data of a request, plain or decrypted; undefined without either. Throws `invalid` for both, and as `decrypted` does. */
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
  // Some clients pass a text on as it is, and digits alone are JSON too.
  return isTextType(type) && typeof value !== 'string' ? text : value
}

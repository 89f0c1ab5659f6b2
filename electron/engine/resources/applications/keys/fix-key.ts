import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { computeKeyDigest } from '../../../crypto/keyring.ts'
import type { Context } from '../../../pipeline/context.ts'
import { findActorOfKey } from '../actors.ts'
import type { ApplicationRow } from '../store.ts'
import { shortType, storeKey } from './create-key.ts'

/** Stores a key chosen by the caller. Throws `invalid` unless it follows rule A-03, and `conflict` if it is taken. */
export function storeFixedKey(context: Context, application: ApplicationRow, key: string) {
  const prefix = `key_local_${shortType[application.type]}_`
  const secret = key.startsWith(prefix) ? key.slice(prefix.length) : ''
  if (!/^[A-Za-z0-9]{20,64}$/.test(secret)) {
    throw createInvalidError('key', `must be ${prefix} and 20 to 64 letters and digits`)
  }
  if (findActorOfKey(context.db, computeKeyDigest(key))) {
    throw new CofferError('conflict', 'Another application already has this key.')
  }
  return storeKey(context, application, key)
}

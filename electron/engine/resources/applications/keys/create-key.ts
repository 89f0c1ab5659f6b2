import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../../shared/errors.ts'
import { formatKeyHint } from '../../../../../shared/key-hint.ts'
import { formatEventTime, formatIsoTime } from '../../../../../shared/time.ts'
import { getActorId } from '../../../access/actor.ts'
import { generateBase62 } from '../../../crypto/base62.ts'
import { computeKeyDigest } from '../../../crypto/keyring.ts'
import type { Context } from '../../../pipeline/context.ts'
import type { ApplicationRow } from '../store.ts'
import { countKeys, insertKey, type KeyRow } from './store.ts'

/** The maximum number of keys per application (rule K-03). */
const MAX_KEYS = 3
export const shortType = { management: 'mgt', private: 'pvt', public: 'pub' } as const

/** The format of keys (rule A-03). There has been no other. */
const KEY_VERSION = '1'

/** Converts a row to the key of the API, without the secret (rule K-01). */
export function toKey(row: Pick<KeyRow, 'id' | 'created_by' | 'created_at'>, tenant_id: string) {
  return {
    id: row.id,
    tenant_id,
    version: KEY_VERSION,
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
  }
}

/** Generates a key (rule A-03). Its 32 base62 characters have 190 bits of entropy. */
export function newKeyText(kind: 'mgt' | 'pvt' | 'pub' | 'ses'): string {
  return `key_local_${kind}_${generateBase62(32)}`
}

/**
 * Creates a key for an application and stores its digest and hint (rules A-03, K-03). `replaces` is the id of the key
 * to delete at the end of a rotation. Throws `unprocessable` for a fourth key.
 */
export function createKey(context: Context, application: ApplicationRow, replaces: string | null = null) {
  const key = newKeyText(shortType[application.type])
  return { key, answer: storeKey(context, application, key, replaces) }
}

/** Stores a key's digest and hint (rule A-03). Throws `unprocessable` if the application has three keys (rule K-03). */
export function storeKey(
  context: Context,
  application: ApplicationRow,
  key: string,
  replaces: string | null = null,
) {
  const { db, actor, now, tenant_id } = context
  if (countKeys(db, application.id) >= MAX_KEYS) {
    throw new CofferError(
      'unprocessable',
      `An application can have at most ${MAX_KEYS} keys. Delete one that is no longer used, then try again.`,
    )
  }
  const row = {
    id: randomUUID(),
    application_id: application.id,
    digest: computeKeyDigest(key),
    hint: formatKeyHint(key),
    replaces,
    created_by: getActorId(actor),
    created_at: now,
  }
  insertKey(db, row)
  const { id, application_id, created_by } = row
  context.queueEvent('application.key.created', () => ({
    application_key: {
      id,
      application_id,
      version: KEY_VERSION,
      created_at: formatEventTime(now),
      created_by,
    },
  }))
  return toKey(row, tenant_id)
}

/** Queues the webhook event for a deleted key (rule W-01). */
export function queueKeyDeletedEvent(context: Context, key: { id: string; application_id: string }): void {
  const { id, application_id } = key
  context.queueEvent('application.key.deleted', () => ({ application_key: { id, application_id } }))
}

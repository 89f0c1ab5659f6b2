import { randomUUID } from 'node:crypto'
import type { Json } from '../../../../../shared/json.ts'
import type { TokenIntentExtras } from '../../../../../shared/schemas/token-intent.ts'
import { formatEventTime } from '../../../../../shared/time.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import { getCreatorId } from '../../../access/actor.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineLookup } from '../../crud.ts'
import { computeDefaultFingerprint } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { findTokenIntent, insertTokenIntent, type TokenIntentRow } from './store.ts'

/** The token intent of a repeated request. */
export const { requireAgain: requireIntentAgain } = defineLookup('token_intent', findTokenIntent)

type NewIntent = { readonly type: TokenType; readonly data: Json; readonly extras?: TokenIntentExtras }

/** Stores a token intent, and queues its event (rule O-03). Throws `invalid` if the data does not fit the type. */
export function createIntent(context: Context, { type, data, extras }: NewIntent): TokenIntentRow {
  const { db, keyring, actor, settings, now } = context
  const fingerprint = computeDefaultFingerprint(context, type, data)
  const id = randomUUID()
  const row: TokenIntentRow = {
    id,
    type,
    data: keyring.sealValue(JSON.stringify(data), id, 'intent'),
    fingerprint,
    created_by: getCreatorId(actor),
    created_at: now,
    expires_at: now + settings.token_intent_retention_seconds * 1000,
    cvc_stored_at: hasCvc(type, data) ? now : null,
    extras: extras ? JSON.stringify(extras) : null,
  }
  insertTokenIntent(db, row)
  context.queueEvent('token-intent.created', () => ({
    token_intent: {
      id,
      type,
      fingerprint: encodeBase58(fingerprint),
      created_by: row.created_by,
      created_at: formatEventTime(row.created_at),
      expires_at: formatEventTime(row.expires_at),
    },
  }))
  context.setRecordEntity(id)
  return row
}

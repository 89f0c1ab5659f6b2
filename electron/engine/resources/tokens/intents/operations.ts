import { randomUUID } from 'node:crypto'
import { Problems } from '../../../../../shared/problems.ts'
import { nothing } from '../../../../../shared/schemas/common.ts'
import { newTokenIntent, tokenIntent } from '../../../../../shared/schemas/token-intent.ts'
import { formatEventTime } from '../../../../../shared/time.ts'
import { getCreatorId } from '../../../access/actor.ts'
import { encodeBase58 } from '../../../crypto/base58.ts'
import { getEncrypted, resolveData } from '../../../pipeline/encrypted.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId, defineResource } from '../../crud.ts'
import { deriveContent } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { requireType, toStoredData } from '../types/types.ts'
import { toTokenIntent } from './present.ts'
import { deleteTokenIntent, findTokenIntent, insertTokenIntent, type TokenIntentRow } from './store.ts'

const stored = defineResource('token_intent', findTokenIntent, toTokenIntent)

export const create = defineOperation({
  summary: 'Create a token intent: data to be checked before it becomes a token',
  route: 'POST /token-intents',
  permission: 'token-intent:create',
  entity: 'token_intent',
  location: ({ id }) => `/token-intents/${id}`,
  listEncrypted: getEncrypted,
  input: newTokenIntent,
  output: tokenIntent,
  handler(context, input) {
    const { db, keyring, actor, settings, now } = context
    const problems = new Problems()
    const input_data = problems.attemptCheck(() => resolveData(context, input))
    if (input_data === undefined && input.encrypted === undefined) problems.add('data', 'is required')
    const type = problems.concludeWith(() => requireType(input.type))
    const data = toStoredData(type, input_data ?? null)
    const { fingerprinted } = deriveContent(context.work, {
      type,
      data,
      metadata: {},
      mask: undefined,
      fingerprint_expression: undefined,
      search_indexes: undefined,
    })
    const id = randomUUID()
    const row: TokenIntentRow = {
      id,
      type,
      data: keyring.sealValue(JSON.stringify(data), id, 'intent'),
      fingerprint: keyring.computeFingerprint(type, fingerprinted),
      created_by: getCreatorId(actor),
      created_at: now,
      expires_at: now + settings.token_intent_retention_seconds * 1000,
      cvc_stored_at: hasCvc(type, data) ? now : null,
    }
    insertTokenIntent(db, row)
    context.queueEvent('token-intent.created', () => ({
      token_intent: {
        id,
        type,
        fingerprint: encodeBase58(row.fingerprint),
        created_by: row.created_by,
        created_at: formatEventTime(row.created_at),
        expires_at: formatEventTime(row.expires_at),
      },
    }))
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toTokenIntent(context, row)
  },
  replay: stored.replay,
})

export const get = defineOperation({
  summary: 'Get a token intent',
  route: 'GET /token-intents/{id}',
  permission: 'token-intent:read',
  entity: 'token_intent',
  input: byId,
  output: tokenIntent,
  handler: stored.get,
})

export const remove = defineOperation({
  summary: 'Delete a token intent before it expires',
  route: 'DELETE /token-intents/{id}',
  permission: 'token-intent:delete',
  entity: 'token_intent',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    deleteTokenIntent(context.db, row.id)
    context.queueEvent('token-intent.deleted', () => ({ token_intent: { id: row.id } }))
    return {}
  },
})

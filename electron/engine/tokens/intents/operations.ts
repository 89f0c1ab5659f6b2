import { randomUUID } from 'node:crypto'
import { CofferError, invalid } from '../../../../shared/errors.ts'
import { madeId, nothing } from '../../../../shared/schemas/common.ts'
import { newTokenIntent, tokenIntent } from '../../../../shared/schemas/token-intent.ts'
import { eventTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { creatorId } from '../../access/actor.ts'
import { base58 } from '../../crypto/base58.ts'
import type { Context } from '../../door/context.ts'
import { dataOf, encryptedIn } from '../../door/encrypted.ts'
import { goneSince } from '../../door/idempotency.ts'
import { operation } from '../../door/operation.ts'
import { deriveContent } from '../types/content.ts'
import { hasCvc } from '../types/cvc.ts'
import { keptData, requireType } from '../types/types.ts'
import { toTokenIntent } from './present.ts'
import { deleteTokenIntent, findTokenIntent, insertTokenIntent, type TokenIntentRow } from './store.ts'

const one = z.strictObject({ id: madeId })

/** Returns a token intent by id. Throws `not_found` if there is none, or it has expired (rule O-03). */
function requireTokenIntent(context: Context, id: string): TokenIntentRow {
  const { db, now } = context
  context.about(id)
  const row = findTokenIntent(db, id, now)
  if (!row) throw new CofferError('not_found', 'There is no such token intent.')
  return row
}

export const create = operation({
  summary: 'Create a token intent: data to be checked before it becomes a token',
  route: 'POST /token-intents',
  permission: 'token-intent:create',
  entity: 'token_intent',
  effect: 'write',
  status: 201,
  location: ({ id }) => `/token-intents/${id}`,
  encrypted: encryptedIn,
  input: newTokenIntent,
  output: tokenIntent,
  handler(context, input) {
    const { db, keyring, actor, settings, now } = context
    const type = requireType(input.type)
    const given = dataOf(context, input)
    if (given === undefined) throw invalid('data', 'is required')
    const data = keptData(type, given)
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
      fingerprint: keyring.fingerprint(type, fingerprinted),
      created_by: creatorId(actor),
      created_at: now,
      expires_at: now + settings.token_intent_retention_seconds * 1000,
      cvc_stored_at: hasCvc(type, data) ? now : null,
    }
    insertTokenIntent(db, row)
    context.tell('token-intent.created', () => ({
      token_intent: {
        id,
        type,
        fingerprint: base58(row.fingerprint),
        created_by: row.created_by,
        created_at: eventTime(row.created_at),
        expires_at: eventTime(row.expires_at),
      },
    }))
    context.about(id)
    context.keep(id)
    return toTokenIntent(context, row)
  },
  replay(context, id: string) {
    context.about(id)
    const row = findTokenIntent(context.db, id, context.now)
    if (!row) throw goneSince()
    return toTokenIntent(context, row)
  },
})

export const get = operation({
  summary: 'Get a token intent',
  route: 'GET /token-intents/{id}',
  permission: 'token-intent:read',
  entity: 'token_intent',
  effect: 'read',
  status: 200,
  input: one,
  output: tokenIntent,
  handler(context, { id }) {
    return toTokenIntent(context, requireTokenIntent(context, id))
  },
})

export const remove = operation({
  summary: 'Delete a token intent before it expires',
  route: 'DELETE /token-intents/{id}',
  permission: 'token-intent:delete',
  entity: 'token_intent',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    const row = requireTokenIntent(context, id)
    deleteTokenIntent(context.db, row.id)
    context.tell('token-intent.deleted', () => ({ token_intent: { id: row.id } }))
    return {}
  },
})

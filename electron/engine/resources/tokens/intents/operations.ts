import { type Filter, matchesFilter } from '../../../../../shared/conditions.ts'
import { createInvalidError } from '../../../../../shared/errors.ts'
import { Problems } from '../../../../../shared/problems.ts'
import { filteredQuery, nothing, ownerPage } from '../../../../../shared/schemas/common.ts'
import {
  type IntentField,
  intentFields,
  newTokenIntent,
  type TokenIntent,
  tokenIntent,
} from '../../../../../shared/schemas/token-intent.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import { getEncrypted, resolveData } from '../../../pipeline/encrypted.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId, defineResource, readFilteredPage } from '../../crud.ts'
import { requireType, toStoredData } from '../types/types.ts'
import { createIntent } from './create-intent.ts'
import { toTokenIntent } from './present.ts'
import { countTokenIntents, deleteTokenIntent, findTokenIntent, listTokenIntents } from './store.ts'

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
    const problems = new Problems()
    const input_data = problems.attemptCheck(() => resolveData(context, input))
    if (input_data === undefined && input.encrypted === undefined) problems.add('data', 'is required')
    const type = problems.concludeWith(() => requireIntentType(input.type))
    const data = toStoredData(type, input_data ?? null)
    const row = createIntent(context, { type, data })
    context.storeReplay(row.id)
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

export const list = defineOperation({
  summary: 'List the token intents that wait to become tokens, newest first',
  entity: 'token_intent',
  input: filteredQuery(intentFields),
  output: ownerPage(tokenIntent),
  handler(context, { where = [], q = '', ...page }) {
    const { db, now } = context
    const shown = readFilteredPage(
      context,
      page,
      JSON.stringify(['token-intents', where, q]),
      (limit, before) => listTokenIntents(db, now, limit, before),
      (row) => {
        const intent = toTokenIntent(context, row)
        return matchesIntent({ conditions: where, words: q }, intent) ? intent : null
      },
    )
    return { ...shown, total: countTokenIntents(db, now) }
  },
})

function matchesIntent(filter: Filter<IntentField>, intent: TokenIntent): boolean {
  const { id, type, created_by, card, fingerprint } = intent
  const shown = card ? [card.brand ?? undefined, card.last4] : []
  const values = { type: [type], app: [created_by ?? 'owner'], card: shown, id: [id] }
  const texts = [id, type, fingerprint, ...shown].filter((each) => each !== undefined)
  return matchesFilter(filter, (field) => values[field], texts)
}

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

/** The hosted service has no token intents of this type. */
function requireIntentType(value: string): TokenType {
  const type = requireType(value)
  if (type === 'network_token')
    throw createInvalidError('type', 'network_token is not available for token intents')
  return type
}

import { createInvalidError } from '../../../../../shared/errors.ts'
import { Problems } from '../../../../../shared/problems.ts'
import { nothing } from '../../../../../shared/schemas/common.ts'
import { newTokenIntent, tokenIntent } from '../../../../../shared/schemas/token-intent.ts'
import type { TokenType } from '../../../../../shared/token-types.ts'
import { getEncrypted, resolveData } from '../../../pipeline/encrypted.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId, defineResource } from '../../crud.ts'
import { requireType, toStoredData } from '../types/types.ts'
import { createIntent } from './create-intent.ts'
import { toTokenIntent } from './present.ts'
import { deleteTokenIntent, findTokenIntent } from './store.ts'

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

import type { CreatedToken, NewToken } from '../../../../../shared/schemas/token.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toTokenWith } from '../read/present.ts'
import { toTokenCreatedEvent, toTokenUpdatedEvent } from '../read/token-events.ts'
import { insertToken } from '../store.ts'
import { findDuplicate, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { presentDuplicate, type TokenReplay, toTokenReplay } from './replay.ts'
import { updateDuplicate } from './update-duplicate.ts'

/** A token that was created or that already existed as a duplicate, with its replay data (rule A-12). */
export type CreatedOrFoundToken = { readonly token: CreatedToken; readonly replayData: TokenReplay }

/**
 * Creates a token. If the token is a duplicate, returns the existing token instead, updated if the tenant's settings
 * and the caller's permissions allow it (rules T-01 to T-10, O-03). Throws `invalid`, `forbidden`, and `conflict` if
 * the id is taken; the pipeline then rolls back.
 */
export function createToken(context: Context, input: NewToken): CreatedOrFoundToken {
  const { row, containers, content } = newTokenRow(context, input)
  const { token_intent_id } = input
  const subject = { id: row.id, containers }
  const grant = context.requireAccess('token:create', subject, 'all')
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && findDuplicate(context, row)
  if (existing) {
    const updated = updateDuplicate(context, existing, { ...input, ...content })
    if (updated) {
      context.setRecordEntity(updated.id, 'updated')
      context.queueEvent('token.updated', () => toTokenUpdatedEvent(updated))
    }
    const duplicate = updated ?? existing
    const token = presentDuplicate(context, duplicate)
    return { token, replayData: { ...toTokenReplay(duplicate), asked: subject } }
  }
  insertToken(context, row)
  context.queueEvent('token.created', () => toTokenCreatedEvent(row))
  if (token_intent_id !== undefined) {
    context.setRecordEntity(row.id, 'from a token intent')
    const { id, type } = row
    context.queueEvent('token-intent.converted', () => ({
      token_intent: { id: token_intent_id.toLowerCase(), type },
      token: { id, type },
    }))
  }
  const presented = toTokenWith(context, row, content.data, grant.transform)
  return { token: { ...presented, _extras: { deduplicated: false } }, replayData: toTokenReplay(row) }
}

import type { CreatedToken, NewToken, TokenExtras } from '../../../../../shared/schemas/token.ts'
import type { Context } from '../../../pipeline/context.ts'
import { passOnNetworkTokens } from '../links.ts'
import { addExtras, toTokenWith } from '../read/present.ts'
import { toTokenCreatedEvent } from '../read/token-events.ts'
import { insertToken, type TokenRow } from '../store.ts'
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
    const extras = toExtras(input, updated ? 'update_existing' : 'read_existing')
    const duplicate = updated ?? existing
    recordConversion(context, token_intent_id, duplicate)
    const token = presentDuplicate(context, duplicate, extras)
    return { token, replayData: { ...toTokenReplay(duplicate), asked: subject, extras } }
  }
  insertToken(context, row)
  context.queueEvent('token.created', () => toTokenCreatedEvent(row))
  recordConversion(context, token_intent_id, row)
  const presented = toTokenWith(context, row, content.data, grant.transform)
  const extras = toExtras(input)
  return { token: addExtras(presented, extras), replayData: { ...toTokenReplay(row), extras } }
}

/** Records and tells webhooks that a token intent became this token, if the request had one. */
function recordConversion(
  context: Context,
  token_intent_id: string | undefined,
  { id, type }: TokenRow,
): void {
  if (token_intent_id === undefined) return
  context.setRecordEntity(id, 'from a token intent')
  context.setConcernedEntities(token_intent_id.toLowerCase())
  passOnNetworkTokens(context.db, token_intent_id.toLowerCase(), id)
  context.queueEvent('token-intent.converted', () => ({
    token_intent: { id: token_intent_id.toLowerCase(), type },
    token: { id, type },
  }))
}

function toExtras(
  { encrypted }: NewToken,
  deduplication_behavior?: TokenExtras['deduplication_behavior'],
): TokenExtras {
  return {
    deduplicated: deduplication_behavior !== undefined,
    ...(deduplication_behavior && { deduplication_behavior }),
    ...(encrypted !== undefined && { decrypted_payload: true }),
  }
}

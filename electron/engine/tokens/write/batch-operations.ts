import { CofferError, invalid } from '../../../../shared/errors.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import { newTokens, newTokensReport, type RefusedToken } from '../../../../shared/schemas/token-batch.ts'
import { parsed } from '../../../../shared/validation.ts'
import { beginSavepoint, endSavepoint, undoSavepoint } from '../../db/savepoint.ts'
import type { Context } from '../../door/context.ts'
import { operation } from '../../door/operation.ts'
import { Work } from '../../expressions/work.ts'
import { createdToken, updatedToken } from '../read/told.ts'
import { insertToken, type TokenRow } from '../store.ts'
import { contentOf } from './create.ts'
import { duplicateOf, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { updateDuplicate } from './update-duplicate.ts'

export const createMany = operation({
  summary: 'Create up to 1,000 tokens at once; refused ones are listed, the others are created',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'write',
  status: 200,
  input: newTokens,
  output: newTokensReport,
  handler(context, { tokens, made_ids, dry_run }) {
    const { db } = context
    const before = beginSavepoint(db)
    const refused: RefusedToken[] = []
    const created: TokenRow[] = []
    const updated: TokenRow[] = []
    const ids = tokens.map((given, index) => {
      // Each is a request of its own to the owner, so that no token is refused for what others needed.
      context.work = new Work()
      try {
        const made = createOne(context, given, made_ids?.[index])
        if (made.created) created.push(made.created)
        if (made.updated) updated.push(made.updated)
        return made.id
      } catch (error) {
        // Anything but a refusal undoes the whole call.
        if (!(error instanceof CofferError) || !['invalid', 'conflict'].includes(error.code)) throw error
        refused.push({
          index,
          detail: error.message,
          ...(error.code === 'conflict' && { conflict: true as const }),
          ...(error.errors && { errors: error.errors }),
        })
        return null
      }
    })
    if (dry_run) undoSavepoint(db, before)
    else {
      for (const row of created) context.tell('token.created', () => createdToken(row))
      for (const row of updated) context.tell('token.updated', () => updatedToken(row))
    }
    endSavepoint(db)
    context.about(null, `${tokens.length - refused.length} tokens${dry_run ? ', dry run' : ''}`)
    return { ids, refused }
  },
})

/** Creates a token, or finds the one it duplicates, and may change that. Creates and changes nothing if it throws. */
function createOne(
  context: Context,
  given: unknown,
  made_id: string | undefined,
): { id: string; created?: TokenRow; updated?: TokenRow | null } {
  const input = parsed(newToken, given)
  if (input.token_intent_id !== undefined) throw invalid('token_intent_id', 'cannot be used here')
  const content = contentOf(context, input)
  const { row } = newTokenRow(context, { ...input, ...content, made_id })
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && duplicateOf(context, row)
  if (existing) {
    return { id: existing.id, updated: updateDuplicate(context, existing, { ...input, ...content }) }
  }
  insertToken(context, row)
  return { id: row.id, created: row }
}

import { counted } from '../../../../shared/counted.ts'
import { CofferError, invalid } from '../../../../shared/errors.ts'
import { isObject } from '../../../../shared/json.ts'
import { newToken } from '../../../../shared/schemas/token.ts'
import {
  newTokens,
  newTokensReport,
  type RefusedToken,
  type StoredToken,
} from '../../../../shared/schemas/token-batch.ts'
import { parsed } from '../../../../shared/validation.ts'
import { z } from '../../../../shared/zod.ts'
import { beginSavepoint, endSavepoint, undoSavepoint } from '../../db/savepoint.ts'
import type { Context } from '../../door/context.ts'
import { operation } from '../../door/operation.ts'
import { Work } from '../../expressions/work.ts'
import { createdToken, updatedToken } from '../read/told.ts'
import { findStored, insertUncounted } from '../store.ts'
import { contentOf } from './create.ts'
import { CreatedCounts } from './created-counts.ts'
import { duplicateOf, isDeduplicated } from './duplicate.ts'
import { newTokenRow } from './new-row.ts'
import { updateDuplicate } from './update-duplicate.ts'

export const createMany = operation({
  summary: 'Create up to 4,000 tokens at once; refused ones are listed, the others are created',
  route: null,
  permission: 'owner',
  entity: 'token',
  effect: 'write',
  status: 200,
  input: newTokens,
  output: newTokensReport,
  handler(context, { tokens, made_ids, dry_run }) {
    const { db } = context
    // With a savepoint, SQLite keeps a copy of each page that is changed.
    const before = dry_run ? beginSavepoint(db) : null
    const refused: RefusedToken[] = []
    const counts = new CreatedCounts(db)
    const stored: (StoredToken | null)[] = []
    /** The places of the new tokens. No other call creates any in between. */
    let first = 0
    let last = 0
    const ids = tokens.map((given, index) => {
      // Each is a request of its own to the owner, so that no token is refused for what others needed.
      context.work = new Work()
      try {
        const { id, created, event } = createOne(context, counts, given, made_ids?.[index])
        stored.push(created ?? findStored(db, id))
        if (created) {
          first ||= created.seq
          last = created.seq
        }
        // At once, so that nothing of this token is kept until the last one.
        if (event && !dry_run) context.tell(event.type, event.data)
        return id
      } catch (error) {
        // Anything but a refusal undoes the whole call.
        if (!(error instanceof CofferError) || !['invalid', 'conflict'].includes(error.code)) throw error
        stored.push(error.code === 'conflict' ? findStored(db, idOf(given) ?? made_ids?.[index] ?? '') : null)
        refused.push({
          index,
          detail: error.message,
          ...(error.code === 'conflict' && { conflict: true as const }),
          ...(error.errors && { errors: error.errors }),
        })
        return null
      }
    })
    if (before === null) counts.write()
    else {
      undoSavepoint(db, before)
      endSavepoint(db)
    }
    if (dry_run) context.isDryRun()
    else if (first > 0) context.creates(first, last)
    context.about(null, counted(tokens.length - refused.length, 'token'))
    return { ids, stored, refused, now: context.now }
  },
})

/** `newToken` as code that zod generates, which pays for itself where there are many. Made for the first of them. */
let compiled: typeof newToken | undefined

/** What webhooks are told of a token. */
type TokenEvent = {
  readonly type: 'token.created' | 'token.updated'
  readonly data: () => ReturnType<typeof createdToken>
}

function idOf(given: unknown): string | undefined {
  const id = isObject(given) ? given.id : undefined
  return typeof id === 'string' ? id : undefined
}

/**
 * Creates a token, which is then `created`, or finds the one it duplicates, and may change that. Creates and changes nothing if it throws.
 */
function createOne(
  context: Context,
  counts: CreatedCounts,
  given: unknown,
  made_id: string | undefined,
): { id: string; created?: StoredToken; event?: TokenEvent } {
  compiled ??= z.compile(newToken)
  const input = parsed(compiled, given)
  if (input.token_intent_id !== undefined) throw invalid('token_intent_id', 'cannot be used here')
  const content = contentOf(context, input)
  const { row } = newTokenRow(context, { ...input, ...content, made_id })
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && duplicateOf(context, row)
  if (existing) {
    // The database moves counts where a container changes: it may be that of a token of this call.
    counts.write()
    const updated = updateDuplicate(context, existing, { ...input, ...content })
    if (!updated) return { id: existing.id }
    return { id: existing.id, event: { type: 'token.updated', data: () => updatedToken(updated) } }
  }
  const seq = insertUncounted(context, row)
  counts.add(row)
  // One that expires at this moment may be deleted for the next with its id, and the database takes it off the counts.
  if (row.expires_at !== null && row.expires_at <= context.now) counts.write()
  const { created_at, expires_at } = row
  const created = { seq, created_at, expires_at }
  return { id: row.id, created, event: { type: 'token.created', data: () => createdToken(row) } }
}

import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { formatCount } from '../../../../../shared/format-count.ts'
import { isObject } from '../../../../../shared/json.ts'
import { type NewToken, newToken } from '../../../../../shared/schemas/token.ts'
import {
  newTokens,
  newTokensReport,
  type RejectedToken,
  type StoredToken,
} from '../../../../../shared/schemas/token-batch.ts'
import { z } from '../../../../../shared/zod.ts'
import type { VaultStorage } from '../../../crypto/keyring.ts'
import { endSavepoint, startSavepoint, undoSavepoint } from '../../../db/savepoint.ts'
import { WorkBudget } from '../../../expressions/work-budget.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { parseThoroughly } from '../../../pipeline/parse-thoroughly.ts'
import { insertPairs, type PairedToken } from '../pairs.ts'
import { toTokenCreatedEvent, toTokenUpdatedEvent } from '../read/token-events.ts'
import { addToTokenCounts, findStoredToken, insertTokenRow, type TokenRow } from '../store.ts'
import { stringifyData } from './columns.ts'
import { findDuplicate, isDeduplicated } from './duplicate.ts'
import { checkNewToken, newTokenRow, type UncheckedToken } from './new-row.ts'
import { updateDuplicate } from './update-duplicate.ts'

export const createMany = defineOperation({
  summary: 'Create up to 4,000 tokens; rejected ones are listed, the others are created',
  entity: 'token',
  effect: 'write',
  input: newTokens,
  output: newTokensReport,
  handler(context, { tokens, made_ids, dry_run }) {
    const { db } = context
    // Starts a savepoint only for a dry run, because a savepoint makes SQLite copy each page that changes.
    const before = dry_run ? startSavepoint(db) : null
    // A dry run needs rows only if its tokens may conflict with each other.
    const isWritten = !dry_run || context.settings.deduplicate_tokens === 'true' || tokens.some(mayConflict)
    const takeToken = (input: UncheckedToken) =>
      isWritten ? createOne(context, pending, input) : checkOne(context, input)
    const refused: RejectedToken[] = []
    const pending = new CreatedTokens(context)
    const stored: (StoredToken | null)[] = []
    /** The `seq` of the new tokens. No other call creates tokens between them. */
    const seqs: number[] = []
    const ids = tokens.map((rawToken, index) => {
      // Each token has its own work budget, so that an expensive token does not cause others to be rejected.
      context.work = new WorkBudget()
      try {
        const input = { ...parseToken(context, rawToken), made_id: made_ids?.[index] }
        const { id, created, event } = takeToken(input)
        stored.push(created ?? findStoredToken(db, id))
        if (created) seqs.push(created.seq)
        // Queued immediately rather than at the end, so that the row need not stay in memory.
        if (event && !dry_run) context.queueEvent(event.type, event.data)
        return id
      } catch (error) {
        // An invalid or conflicting token is reported; any other error rolls back the whole call.
        if (!(error instanceof CofferError) || !['invalid', 'conflict'].includes(error.code)) throw error
        const id = readId(rawToken, made_ids?.[index])
        stored.push(error.code === 'conflict' ? findStoredToken(db, id) : null)
        refused.push(toRejectedToken(index, error))
        return null
      }
    })
    if (before === null) {
      pending.write()
      if (seqs.length > 0) context.setCreatedTokens(Math.min(...seqs), Math.max(...seqs))
    } else {
      undoSavepoint(db, before)
      endSavepoint(db)
      context.markDryRun()
    }
    context.setRecordEntity(null, formatCount(tokens.length - refused.length, 'token'))
    return { ids, stored, refused, now: context.now }
  },
})

/** `newToken`, compiled by zod when first used. Compiling pays off for many tokens. */
let compiledSchema: typeof newToken | undefined

type TokenEvent = {
  readonly type: 'token.created' | 'token.updated'
  readonly data: () => ReturnType<typeof toTokenCreatedEvent>
}

function toRejectedToken(index: number, { message, code, errors }: CofferError): RejectedToken {
  return {
    index,
    detail: message,
    ...(code === 'conflict' && { conflict: true as const }),
    ...(errors && { errors }),
  }
}

function readId(rawToken: unknown, made_id = ''): string {
  const id = isObject(rawToken) ? rawToken.id : undefined
  return typeof id === 'string' ? id : made_id
}

/** Whether a token chooses its id, or may be the duplicate of another one. */
function mayConflict(rawToken: unknown): boolean {
  return isObject(rawToken) && ('id' in rawToken || 'deduplicate_token' in rawToken)
}

function parseToken(context: Context, rawToken: unknown): NewToken {
  compiledSchema ??= z.compile(newToken)
  const input = parseThoroughly(compiledSchema, rawToken, (sound) => {
    rejectIntent(sound)
    checkNewToken(context, sound)
  })
  rejectIntent(input)
  return input
}

/** Must be called before the token is checked, because that deletes the intent, even if the token is then rejected. */
function rejectIntent({ token_intent_id }: NewToken): void {
  if (token_intent_id === undefined) return
  throw createInvalidError('token_intent_id', 'cannot be used when several tokens are created')
}

type CreatedOne = { readonly id: string; readonly created?: StoredToken; readonly event?: TokenEvent }

/** Checks a token as `createOne` does, and returns the token that would exist. Its `seq` is not known. */
function checkOne(context: Context, input: UncheckedToken): CreatedOne {
  const { id, content, expires } = checkNewToken(context, input)
  stringifyData(context.work, content.data)
  return { id, created: { seq: 0, created_at: context.now, expires_at: expires?.at ?? null } }
}

/**
 * Creates a token and returns it as `created`. If the token is a duplicate, returns the id of the existing token, and
 * updates that token if the tenant's settings and the caller's permissions allow it. Changes nothing if it throws.
 */
function createOne(context: Context, pending: CreatedTokens, input: UncheckedToken): CreatedOne {
  const { row, content, metadata } = newTokenRow(context, input)
  const existing = isDeduplicated(context.settings, input.deduplicate_token) && findDuplicate(context, row)
  if (existing) {
    // The existing token may be one that this call created, and if its container changes, a trigger changes the
    // counters, so the pending ones are written first.
    pending.write()
    const updated = updateDuplicate(context, existing, { ...input, ...content })
    if (!updated) return { id: existing.id }
    return { id: existing.id, event: { type: 'token.updated', data: () => toTokenUpdatedEvent(updated) } }
  }
  const seq = insertTokenRow(context, row)
  pending.add(row, metadata)
  // A token that has already expired may be deleted so that the next one can have its id. A trigger then lowers the
  // counters, so the pending ones are written first.
  if (row.expires_at !== null && row.expires_at <= context.now) pending.write()
  const { created_at, expires_at } = row
  const created = { seq, created_at, expires_at }
  return { id: row.id, created, event: { type: 'token.created', data: () => toTokenCreatedEvent(row) } }
}

type CountedToken = Pick<TokenRow, 'type' | 'container' | 'created_at'>

/**
 * The tokens that one call creates: their metadata pairs, which are written in the order of their table, and their
 * number by type and container, which is added to the vault's counters once.
 */
class CreatedTokens {
  readonly #vault: VaultStorage
  readonly #counts = new Map<string, { readonly row: CountedToken; tokens: number }>()
  readonly #paired: PairedToken[] = []

  constructor(vault: VaultStorage) {
    this.#vault = vault
  }

  add(row: TokenRow, metadata: Readonly<Record<string, string>> = {}): void {
    const { type, container, created_at, id } = row
    const kind = `${type}\n${container}`
    const existing = this.#counts.get(kind)
    if (existing) existing.tokens++
    else this.#counts.set(kind, { row: { type, container, created_at }, tokens: 1 })
    this.#paired.push({ container, created_at, id, members: Object.entries(metadata) })
  }

  /**
   * Writes what was added since the previous `write`. Must be called at the end, and before one of these tokens is
   * changed, moved or deleted.
   */
  write(): void {
    const { db, keyring } = this.#vault
    insertPairs(db, keyring, this.#paired.splice(0))
    for (const { row, tokens } of this.#counts.values()) addToTokenCounts(db, row, tokens)
    this.#counts.clear()
  }
}

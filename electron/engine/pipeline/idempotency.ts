import { hash } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import type { CallResult } from './call.ts'

const REPLAY_LIFETIME_MS = 24 * 60 * 60 * 1000

/**
 * What is stored about a successful call, so that its operation can answer a repeated request. SECURITY: never the
 * response itself, except one from code, because the data in it may have been deleted since, or hidden from the caller.
 */
export type CallReplay = {
  /** The value that the handler passed to `context.storeReplay`. */
  readonly kept: unknown
  readonly headers: CallResult['headers']
}

/** Returns the digest that scopes an idempotency key to caller, method and path (rule A-12). */
export function computeIdempotencyScope(
  actor_id: string,
  { key, method, path }: { key: string; method: string; path: string },
): Buffer {
  return hash('sha256', JSON.stringify([actor_id, method, path, key]), 'buffer')
}

/**
 * Returns what is stored for a scope, or null (rule A-12). Throws `conflict` if a token that the response needs has
 * been deleted since, or if the call was answered by an older version of Coffer.
 */
export function findCallReplay(
  db: Database,
  keyring: Keyring,
  scope: Buffer,
  now: number,
): CallReplay | null {
  const query = 'SELECT kept, tokens FROM idempotency WHERE scope = ? AND expires_at > ?'
  const row = sql(db, query).get(scope, now) as { kept: Buffer | null; tokens: number } | undefined
  if (!row) return null
  if (!row.kept) {
    throw new CofferError(
      'conflict',
      'This idempotency key was used before Coffer was updated, and the response to that request is no longer available. The request was not repeated.',
    )
  }
  const { left } = sql(db, 'SELECT count(*) AS left FROM idempotency_token WHERE scope = ?').get(scope) as {
    left: number
  }
  if (left < row.tokens) throw createDeletedSinceError()
  return JSON.parse(keyring.openValue(row.kept, scope.toString('base64'), 'kept'))
}

/** Stores a call for 24 hours, sealed (rule A-12). `token_ids` are the ids of the tokens that its response needs. */
export function saveCallReplay(
  db: Database,
  keyring: Keyring,
  scope: Buffer,
  call: CallReplay,
  { now, token_ids }: { readonly now: number; readonly token_ids: readonly string[] },
): void {
  const sealed = keyring.sealValue(JSON.stringify(call), scope.toString('base64'), 'kept')
  const ids = new Set(token_ids)
  sql(db, 'INSERT OR REPLACE INTO idempotency (scope, kept, tokens, expires_at) VALUES (?, ?, ?, ?)').run(
    scope,
    sealed,
    ids.size,
    now + REPLAY_LIFETIME_MS,
  )
  for (const id of ids) {
    sql(db, 'INSERT INTO idempotency_token (token_id, scope) VALUES (?, ?)').run(id, scope)
  }
}

/**
 * Marks this token as deleted in every stored call that needs it (rules A-12, T-11). SECURITY: the call itself stays
 * stored, so that a repeated request neither creates a second token nor shows another token with the same id.
 */
export function deleteTokenFromReplays(db: Database, token_id: string): void {
  sql(db, 'DELETE FROM idempotency_token WHERE token_id = ?').run(token_id)
}

/** Returns the error for a repeated request whose created or changed entity no longer exists (rule A-12). */
export function createDeletedSinceError(): CofferError {
  return new CofferError(
    'conflict',
    'A request with this idempotency key has already succeeded, and what it created or changed has since been deleted or has expired. The request was not run again; to repeat it, send it with another idempotency key.',
  )
}

/** Returns the error for a request while the same one is in flight (rule A-12). */
export function createInFlightError(): CofferError {
  return new CofferError('in_flight', 'A request with this idempotency key is still running.')
}

/** Deletes up to `limit` expired replays and returns how many (rule A-12). */
export function deleteOldReplays(db: Database, now: number, limit: number): number {
  const statement =
    'DELETE FROM idempotency WHERE scope IN (SELECT scope FROM idempotency WHERE expires_at <= ? LIMIT ?)'
  return sql(db, statement).run(now, limit).changes
}

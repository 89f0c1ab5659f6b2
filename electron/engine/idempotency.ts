import { hash } from 'node:crypto'
import { isObject, readJson } from '../../shared/json.ts'
import type { Answer } from './answer.ts'
import type { Keyring } from './crypto/keyring.ts'
import type { Database } from './db/open.ts'
import { sql } from './db/statement.ts'
import { withoutCvc } from './tokens/cvc.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** The digest that scopes an idempotency key by caller, method and path (rule A-12). */
export function idempotencyScope(
  actor_id: string,
  { key, method, path }: { key: string; method: string; path: string },
): Buffer {
  return hash('sha256', JSON.stringify([actor_id, method, path, key]), 'buffer')
}

/** The first successful answer kept for a scope, or null (rule A-12). */
export function findAnswer(db: Database, keyring: Keyring, scope: Buffer, now: number): Answer | null {
  const row = sql(db, 'SELECT answer FROM idempotency WHERE scope = ? AND expires_at > ?').get(scope, now) as
    | { answer: Buffer }
    | undefined
  if (!row) return null
  return readJson(keyring.openValue(row.answer, scope.toString('base64'), 'answer')) as unknown as Answer
}

/**
 * Keeps a successful answer for 24 hours, sealed (rule A-12), or until one of the tokens it shows is deleted.
 * SECURITY: a cvc in it is not kept, because it would outlive the card's own (rule T-15).
 */
export function saveAnswer(
  db: Database,
  keyring: Keyring,
  scope: Buffer,
  answer: Answer,
  { now, token_ids }: { readonly now: number; readonly token_ids: readonly string[] },
): void {
  const kept = { ...answer, output: withoutCvcs(answer.output) }
  const sealed = keyring.sealValue(JSON.stringify(kept), scope.toString('base64'), 'answer')
  sql(db, 'INSERT OR REPLACE INTO idempotency (scope, answer, expires_at) VALUES (?, ?, ?)').run(
    scope,
    sealed,
    now + KEPT_MS,
  )
  for (const id of token_ids) {
    sql(db, 'INSERT OR IGNORE INTO idempotency_token (token_id, scope) VALUES (?, ?)').run(id, scope)
  }
}

function withoutCvcs(output: unknown): unknown {
  if (Array.isArray(output)) return output.map(withoutCvcs)
  if (!isObject(output)) return output
  if (output.type === 'card' && isObject(output.data)) return { ...output, data: withoutCvc(output.data) }
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, withoutCvcs(value)]))
}

/** Forgets the answers that show a token (rule T-11). */
export function deleteAnswersOf(db: Database, token_id: string): void {
  sql(
    db,
    'DELETE FROM idempotency WHERE scope IN (SELECT scope FROM idempotency_token WHERE token_id = ?)',
  ).run(token_id)
}

/** Deletes up to `limit` answers that were kept long enough, and gives how many (rule A-12). */
export function deleteOldAnswers(db: Database, now: number, limit: number): number {
  return sql(
    db,
    'DELETE FROM idempotency WHERE scope IN (SELECT scope FROM idempotency WHERE expires_at <= ? LIMIT ?)',
  ).run(now, limit).changes
}

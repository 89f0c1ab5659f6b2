import type { Database } from '../../db/open.ts'
import { selectRow, selectValue, sql } from '../../db/statement.ts'

export type CountRow = { type: string; container: string; tokens: number }

/** Returns the number of tokens per type and primary container, highest first. Triggers update these counts. */
export function countTokens(db: Database, limit: number): CountRow[] {
  const query =
    'SELECT type, container, tokens FROM token_count WHERE tokens > 0 ORDER BY tokens DESC, container, type LIMIT ?'
  return sql<CountRow>(db, query).all(limit)
}

/** Returns the number of tokens per type, highest first. */
export function countTypes(db: Database): { type: string; tokens: number }[] {
  const query = 'SELECT type, tokens FROM token_type_count WHERE tokens > 0 ORDER BY tokens DESC, type'
  return sql<{ type: string; tokens: number }>(db, query).all()
}

export type ExpiringRow = { id: string; label: string; expires_at: number }

/** Lists up to `limit` tokens that expire after `now` and up to `until`, soonest first. */
export function listExpiringTokens(db: Database, now: number, until: number, limit: number): ExpiringRow[] {
  const query = `SELECT id, type AS label, expires_at FROM token INDEXED BY token_by_expiry
     WHERE expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT ?`
  return sql<ExpiringRow>(db, query).all(now, until, limit)
}

/** Lists up to `limit` applications that expire after `now` and up to `until`, soonest first. */
export function listExpiringApplications(
  db: Database,
  now: number,
  until: number,
  limit: number,
): ExpiringRow[] {
  const query = `SELECT id, name AS label, expires_at FROM application INDEXED BY application_by_expiry
     WHERE expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT ?`
  return sql<ExpiringRow>(db, query).all(now, until, limit)
}

/** Counts the tokens and applications that expire after `now` and up to `until`, up to `max` of each. */
export function countExpiring(db: Database, now: number, until: number, max: number): number {
  const query = `SELECT (SELECT count(*) FROM (SELECT 1 FROM token INDEXED BY token_by_expiry
       WHERE expires_at > @now AND expires_at <= @until LIMIT @max))
     + (SELECT count(*) FROM (SELECT 1 FROM application INDEXED BY application_by_expiry
       WHERE expires_at > @now AND expires_at <= @until LIMIT @max))`
  return selectValue<number>(db, query, { now, until, max })
}

export type FirstStepsRow = {
  created_at: number
  token: number
  /** The id of the newest token. */
  token_id: string | null
  application: number
  proxied_call: number
  webhook: number
}

/**
 * Finds the first steps taken in the vault. Ignores its initial data: applications with these names, and anything
 * created less than `within` ms after the vault. If there are more such applications than `starters`, the vault was
 * created with sample tokens.
 */
export function findFirstSteps(
  db: Database,
  options: { readonly names: readonly string[]; readonly starters: number; readonly within: number },
): FirstStepsRow {
  const query = `WITH made AS (SELECT created_at + @within AS until FROM tenant LIMIT 1),
       names AS (SELECT value AS name FROM json_each(@names)),
       sampled AS (SELECT (SELECT count(*) FROM application WHERE name IN names) > @starters AS yes)
     SELECT (SELECT created_at FROM tenant LIMIT 1) AS created_at,
       EXISTS (SELECT 1 FROM token, made, sampled WHERE NOT yes OR token.created_at > until) AS token,
       (SELECT id FROM token ORDER BY created_at DESC LIMIT 1) AS token_id,
       EXISTS (SELECT 1 FROM application, made WHERE name NOT IN names OR application.created_at > until) AS application,
       EXISTS (SELECT 1 FROM (SELECT operation, status FROM log INDEXED BY log_by_type
         WHERE entity_type = 'proxy' ORDER BY at DESC LIMIT 2000)
         WHERE operation = 'proxies.invoke' AND status < 400) AS proxied_call,
       EXISTS (SELECT 1 FROM webhook) AS webhook`
  return selectRow<FirstStepsRow>(db, query, { ...options, names: JSON.stringify(options.names) })
}

export type KeyUseRow = {
  id: string
  application_id: string
  hint: string | null
  created_at: number
  last_used_at: number | null
  replaces: string | null
}

/** Reads the keys of one application, or of all, newest first, with hint and last use. */
export function readKeyUses(db: Database, application_id: string | null, limit: number): KeyUseRow[] {
  const query = `SELECT k.id, k.application_id, k.hint, k.created_at, k.last_used_at, old.id AS replaces
     FROM application_key k LEFT JOIN application_key old ON old.id = k.replaces
     WHERE @id IS NULL OR k.application_id = @id ORDER BY k.created_at DESC, k.rowid DESC LIMIT @limit`
  return sql<KeyUseRow>(db, query).all({ id: application_id, limit })
}

export type ApplicationUseRow = { id: string; last_used_at: number | null }

/**
 * Reads when applications were last used, with a current or former key or without one. A time after `now` is of a clock
 * that was set back since, so it counts only if there is no other.
 */
export function readApplicationUses(db: Database, now: number, limit: number): ApplicationUseRow[] {
  const query = `WITH used (id, at) AS
       (SELECT id, last_used_at FROM application UNION ALL SELECT application_id, last_used_at FROM application_key)
     SELECT a.id, coalesce(max(used.at) FILTER (WHERE used.at <= ?), max(used.at)) AS last_used_at
     FROM application a JOIN used ON used.id = a.id GROUP BY a.id ORDER BY a.created_at DESC LIMIT ?`
  return sql<ApplicationUseRow>(db, query).all(now, limit)
}

export type ElementUseRow = {
  origin: string
  key_id: string | null
  hint: string | null
  last_used_at: number
}

/** Reads the pages whose elements used an application, latest first, with the hint of the key if it still exists. */
export function readElementUses(db: Database, application_id: string): ElementUseRow[] {
  const query = `SELECT u.origin, u.key_id, k.hint, u.last_used_at
     FROM element_use u LEFT JOIN application_key k ON k.id = u.key_id
     WHERE u.application_id = ? ORDER BY u.last_used_at DESC, u.origin`
  return sql<ElementUseRow>(db, query).all(application_id)
}

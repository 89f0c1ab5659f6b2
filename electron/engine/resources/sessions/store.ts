import type { Permission } from '../../../../shared/permissions.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import type { SessionActor } from '../../access/actor.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, selectValue, sql } from '../../db/statement.ts'
import { findActorOfApplication } from '../applications/actors.ts'

/** A new session. It has no access until it is authorized (rule O-04). */
export type NewSession = {
  id: string
  digest: Buffer
  /** The digest of the session's nonce. */
  nonce: Buffer
  application_id: string
  created_at: number
  expires_at: number
}

export type Authorization = {
  id: string
  authorized_by: string
  permissions: string
  rules: string
  expires_at: number
}

/** Stores a new session (rule O-04). */
export function insertSession(db: Database, session: NewSession): void {
  const statement = `INSERT INTO session (id, digest, nonce, application_id, permissions, rules, created_at, expires_at)
     VALUES (@id, @digest, @nonce, @application_id, '[]', '[]', @created_at, @expires_at)`
  sql(db, statement).run(session)
  recordChange(db, 'session', 'created', session.id)
}

/** Returns the session with a nonce, or undefined if the session or the application that started it has expired. */
export function findSessionByNonce(
  db: Database,
  nonce: Buffer,
  now: number,
): { id: string; authorized_by: string | null; expires_at: number } | undefined {
  const query = `SELECT s.id, s.authorized_by, s.expires_at FROM session s JOIN application a ON a.id = s.application_id
     WHERE s.nonce = ? AND s.expires_at > ? AND (a.expires_at IS NULL OR a.expires_at > ?)`
  return sql<{ id: string; authorized_by: string | null; expires_at: number }>(db, query).get(nonce, now, now)
}

/** Returns a session by id, or undefined if the session or the application that started it has expired. */
export function findSession(
  db: Database,
  id: string,
  now: number,
): { authorized_by: string | null; permissions: string; rules: string; expires_at: number } | undefined {
  return sql<{ authorized_by: string | null; permissions: string; rules: string; expires_at: number }>(
    db,
    `SELECT s.authorized_by, s.permissions, s.rules, s.expires_at
     FROM session s JOIN application a ON a.id = s.application_id
     WHERE s.id = ? AND s.expires_at > ? AND (a.expires_at IS NULL OR a.expires_at > ?)`,
  ).get(id, now, now)
}

/** A session for the owner. */
export type SessionRow = {
  readonly seq: number
  readonly id: string
  readonly application_id: string
  readonly authorized_by: string | null
  readonly permissions: string
  readonly rules: string
  readonly created_at: number
  readonly expires_at: number
}

const ownerColumns = `s.rowid AS seq, s.id, s.application_id, s.authorized_by, s.permissions, s.rules, s.created_at,
  min(s.expires_at, coalesce(a.expires_at, s.expires_at)) AS expires_at`
const joined = `session s JOIN application a ON a.id = s.application_id
  WHERE s.expires_at > @now AND (a.expires_at IS NULL OR a.expires_at > @now)`

/** Lists up to `limit` sessions that have not expired, newest first. If `before` is set, only row numbers below it. */
export function listSessions(db: Database, now: number, limit: number, before: number | null): SessionRow[] {
  const query = `SELECT ${ownerColumns} FROM ${joined} AND (@before IS NULL OR s.rowid < @before)
    ORDER BY s.rowid DESC LIMIT @limit`
  return sql<SessionRow>(db, query).all({ now, before, limit })
}

/** Counts the sessions that have not expired. A join of all of them would take far longer than the two counts. */
export function countSessions(db: Database, now: number): number {
  const query = `SELECT (SELECT count(*) FROM session WHERE expires_at > @now) -
    (SELECT count(*) FROM application a CROSS JOIN session s ON s.application_id = a.id
      WHERE a.expires_at <= @now AND s.expires_at > @now)`
  return selectValue<number>(db, query, { now })
}

/** Returns a session for the owner, or undefined. */
export function findOwnerSession(db: Database, id: string, now: number): SessionRow | undefined {
  return sql<SessionRow>(db, `SELECT ${ownerColumns} FROM ${joined} AND s.id = @id`).get({ id, now })
}

/** Deletes a session: its key is no longer valid. */
export function deleteSession(db: Database, id: string): void {
  sql(db, 'DELETE FROM session WHERE id = ?').run(id)
  recordChange(db, 'session', 'deleted', id)
}

/** The columns of a session for the event data of webhooks. */
export type SessionEventRow = {
  readonly id: string
  readonly created_at: number
  readonly expires_at: number
  readonly application_id: string
  readonly application_name: string
}

/** Returns the columns for the event data of an existing session. */
export function getSessionEventRow(db: Database, id: string): SessionEventRow {
  const query = `SELECT s.id, s.created_at, s.expires_at, s.application_id, a.name AS application_name
     FROM session s JOIN application a ON a.id = s.application_id WHERE s.id = ?`
  return selectRow<SessionEventRow>(db, query, id)
}

/** Replaces the key and nonce of a session. The previous key and nonce become invalid. */
export function replaceSecrets(
  db: Database,
  { id, digest, nonce }: Pick<NewSession, 'id' | 'digest' | 'nonce'>,
): void {
  sql(db, 'UPDATE session SET digest = ?, nonce = ? WHERE id = ?').run(digest, nonce, id)
  recordChange(db, 'session', 'updated', id)
}

/** Stores the permissions and rules of a session, who authorized it, and when it expires (rule O-04). */
export function authorizeSession(db: Database, authorization: Authorization): void {
  const statement = `UPDATE session SET authorized_by = @authorized_by, permissions = @permissions, rules = @rules,
     expires_at = @expires_at WHERE id = @id`
  sql(db, statement).run(authorization)
  recordChange(db, 'session', 'updated', authorization.id)
}

type SessionActorRow = {
  id: string
  application_id: string
  application_name: string
  authorized_by: string | null
  permissions: string
  rules: string
  expires_at: number
}

/** Returns the session with a key's digest, or null (rule O-04). A session expires no later than its application. */
export function findActorOfSession(db: Database, digest: Buffer): SessionActor | null {
  const query = `SELECT s.id, s.application_id, a.name AS application_name, s.authorized_by, s.permissions, s.rules,
     min(s.expires_at, coalesce(a.expires_at, s.expires_at)) AS expires_at
     FROM session s JOIN application a ON a.id = s.application_id WHERE s.digest = ?`
  const row = sql<SessionActorRow>(db, query).get(digest)
  if (!row) return null
  const rules = JSON.parse(row.rules) as AccessRule[]
  return {
    kind: 'session',
    id: row.id,
    application_id: row.application_id,
    application_name: row.application_name,
    authorizer: row.authorized_by === null ? null : findActorOfApplication(db, row.authorized_by),
    permissions: JSON.parse(row.permissions) as Permission[],
    rules: rules.sort((a, b) => a.priority - b.priority),
    expires_at: row.expires_at,
  }
}

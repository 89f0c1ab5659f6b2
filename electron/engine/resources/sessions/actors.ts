import type { Permission } from '../../../../shared/permissions.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import type { SessionActor } from '../../access/actor.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { findActorOfApplication } from '../applications/actors.ts'

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
  const row = sql<SessionActorRow>(
    db,
    `SELECT s.id, s.application_id, a.name AS application_name, s.authorized_by, s.permissions, s.rules,
     min(s.expires_at, coalesce(a.expires_at, s.expires_at)) AS expires_at
     FROM session s JOIN application a ON a.id = s.application_id WHERE s.digest = ?`,
  ).get(digest)
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

import type { ApplicationType, Permission } from '../../../../shared/permissions.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import type { ApplicationActor } from '../../access/actor.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

type ApplicationActorRow = {
  id: string
  name: string
  key_id: string | null
  type: ApplicationType
  permissions: string
  rules: string
  expires_at: number | null
}

function toActor(row: ApplicationActorRow | undefined): ApplicationActor | null {
  if (!row) return null
  const rules = JSON.parse(row.rules) as AccessRule[]
  return {
    kind: 'application',
    id: row.id,
    name: row.name,
    key_id: row.key_id,
    type: row.type,
    permissions: JSON.parse(row.permissions) as Permission[],
    rules: rules.sort((a, b) => a.priority - b.priority),
    expires_at: row.expires_at,
  }
}

/** Returns the actor for the application whose key has this digest, or null (rule A-03). */
export function findActorOfKey(db: Database, digest: Buffer): ApplicationActor | null {
  const query = `SELECT a.id, a.name, k.id AS key_id, a.type, a.permissions, a.rules, a.expires_at
     FROM application_key k JOIN application a ON a.id = k.application_id WHERE k.digest = ?`
  const row = sql<ApplicationActorRow>(db, query).get(digest)
  return toActor(row)
}

/**
 * Returns the actor for an application, so that the owner can view the vault as that application sees it.
 * Returns null if it does not exist.
 */
export function findActorOfApplication(db: Database, id: string): ApplicationActor | null {
  const query =
    'SELECT id, name, NULL AS key_id, type, permissions, rules, expires_at FROM application WHERE id = ?'
  const row = sql<ApplicationActorRow>(db, query).get(id)
  return toActor(row)
}

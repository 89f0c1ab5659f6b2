import type { Permission } from '../../../../shared/permissions.ts'
import type { Application } from '../../../../shared/schemas/application.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { Context } from '../../pipeline/context.ts'
import { toKey } from './keys/create-key.ts'
import { listKeysOfApplications } from './keys/store.ts'
import type { ApplicationRow } from './store.ts'

/** Converts rows to applications of the API (rule K-01). Reads all their keys in one query, newest first. */
export function toApplications(
  { db, tenant_id }: Pick<Context, 'db' | 'tenant_id'>,
  rows: readonly ApplicationRow[],
): Application[] {
  const keys = Map.groupBy(
    listKeysOfApplications(
      db,
      rows.map(({ id }) => id),
    ),
    (key) => key.application_id,
  )
  return rows.map((row) => ({
    id: row.id,
    tenant_id,
    name: row.name,
    keys: (keys.get(row.id) ?? []).map((key) => toKey(key, tenant_id)),
    type: row.type,
    permissions: JSON.parse(row.permissions) as Permission[],
    rules: JSON.parse(row.rules) as AccessRule[],
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
    ...(row.expires_text !== null && { expires_at: row.expires_text }),
  }))
}

/** Like `toApplications`, for one application. */
export function toApplication(context: Pick<Context, 'db' | 'tenant_id'>, row: ApplicationRow): Application {
  return toApplications(context, [row])[0] as Application
}

import { CofferError } from '../../../../shared/errors.ts'
import { settings, type TenantSettings } from '../../../../shared/settings.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, selectValue, sql } from '../../db/statement.ts'

export type TenantRow = {
  id: string
  name: string
  type: string
  settings: string
  created_at: number
  modified_by: string | null
  modified_at: number | null
}

/** Inserts the vault's only tenant. */
export function createTenant(
  db: Database,
  { id, name, created_at }: { id: string; name: string; created_at: number },
): void {
  const statement = "INSERT INTO tenant (id, name, type, settings, created_at) VALUES (?, ?, 'test', '{}', ?)"
  sql(db, statement).run(id, name, created_at)
}

/** Returns the id of the vault's tenant. Throws `internal` if the file has none. */
export function findTenantId(db: Database): string {
  return getTenant(db).id
}

/** Returns the vault's tenant. Throws `internal` if the file has none. */
export function getTenant(db: Database): TenantRow {
  const query = 'SELECT id, name, type, settings, created_at, modified_by, modified_at FROM tenant LIMIT 1'
  const row = sql<TenantRow>(db, query).get()
  if (!row) throw new CofferError('internal', 'The vault file has no tenant.')
  return row
}

/** Returns the tenant's settings, with defaults for those that are not set. */
export function readSettings(db: Database): TenantSettings {
  return settings.parse(JSON.parse(getTenant(db).settings))
}

/** Stores the tenant's name and settings. */
export function updateTenant(
  db: Database,
  tenant: Pick<TenantRow, 'name' | 'settings' | 'modified_by' | 'modified_at'>,
): void {
  const statement = `UPDATE tenant SET name = @name, settings = @settings, modified_by = @modified_by, modified_at = @modified_at
     RETURNING id`
  const { id } = selectRow<{ id: string }>(db, statement, tenant)
  recordChange(db, 'tenant', 'updated', id)
}

/** Returns the email address of the tenant's security contact, or null. */
export function findSecurityContact(db: Database): string | null {
  return selectValue<string | null>(db, 'SELECT security_contact FROM tenant')
}

/** Stores the email address of the tenant's security contact, and who changed it. */
export function updateSecurityContact(
  db: Database,
  contact: Pick<TenantRow, 'modified_by' | 'modified_at'> & { security_contact: string },
): void {
  const statement = `UPDATE tenant SET security_contact = @security_contact, modified_by = @modified_by, modified_at = @modified_at
     RETURNING id`
  const { id } = selectRow<{ id: string }>(db, statement, contact)
  recordChange(db, 'tenant', 'updated', id)
}

export type TypeUsage = { readonly type: string; readonly tokens: number; readonly last_created_at: number }

/** The maximum number of expired tokens not yet deleted that one request counts (rule R-03). */
const MAX_COUNTED_EXPIRED = 20_000

/** Counts the tokens of each type that have not expired at `now` (rule O-06); null if too many have expired. */
export function countTokensByType(db: Database, now: number): TypeUsage[] | null {
  const query = `SELECT type, count(*) AS tokens FROM
       (SELECT type FROM token INDEXED BY token_by_expiry WHERE expires_at <= ? LIMIT ${MAX_COUNTED_EXPIRED + 1})
     GROUP BY type`
  const expired = sql<{ type: string; tokens: number }>(db, query).all(now)
  if (expired.reduce((sum, { tokens }) => sum + tokens, 0) > MAX_COUNTED_EXPIRED) return null
  const expiredByType = new Map(expired.map(({ type, tokens }) => [type, tokens]))
  const countsQuery = 'SELECT type, tokens, last_created_at FROM token_type_count ORDER BY type'
  const rows = sql<TypeUsage>(db, countsQuery).all()
  return rows.map((row) => ({ ...row, tokens: row.tokens - (expiredByType.get(row.type) ?? 0) }))
}

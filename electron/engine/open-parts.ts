import { createKeys, createLogKey, deriveCountKey, deriveDatabaseKey } from './crypto/keyring.ts'
import { CommitCount, recordCommit } from './db/commit-count.ts'
import { migrateDatabase } from './db/migrate.ts'
import { migrations } from './db/migrations.ts'
import { type Database, enableShrinking, openDatabase } from './db/open.ts'
import { openChecked } from './files/open-checked.ts'
import { type EngineOptions, EngineParts } from './parts.ts'
import { insertClockRow } from './pipeline/clock-guard.ts'
import { toIncident } from './pipeline/incident.ts'
import { createTenant, findTenantId } from './resources/tenants/store.ts'

/** Creates a vault file for a 32-byte master secret. Throws a CofferError if it cannot be created. */
export function createParts(
  file: string,
  master: Buffer,
  vault: { readonly tenant_id: string; readonly name: string },
  options: EngineOptions,
): EngineParts {
  const db = openVaultDatabase(file, master, { create: true, ...options })
  let count: CommitCount | null = null
  try {
    if (!options.ephemeral) {
      const key = deriveCountKey(master)
      count = new CommitCount({ db, key, before: null, log: null, report: createReporter(options) })
    }
    migrateDatabase(db, migrations)
    const now = (options.now ?? Date.now)()
    db.transaction(() => {
      createTenant(db, { id: vault.tenant_id, name: vault.name, created_at: now })
      insertClockRow(db, now)
      createKeys(db, master, vault.tenant_id, now)
    })()
    count?.writeRow(false)
    return new EngineParts({ db, master, tenant_id: vault.tenant_id, options, count })
  } catch (error) {
    db.close()
    count?.afterClose()
    throw error
  }
}

/** Opens an existing vault file and runs its pending migrations. Throws a CofferError that states why it cannot. */
export function openParts(file: string, master: Buffer, options: EngineOptions): EngineParts {
  const { beforeMigrating, persistedTotal } = options
  const migrating = beforeMigrating ? { beforeMigrating } : {}
  const createOpenedParts = (db: Database, count: CommitCount | null) => {
    tryEnableShrinking(db, options)
    return new EngineParts({ db, master, tenant_id: ensureLogKey(db, master, options), options, count })
  }
  if (!options.ephemeral) {
    const report = createReporter(options)
    return openChecked({ file, master, kept: persistedTotal, migrating, report }, createOpenedParts)
  }
  const db = openVaultDatabase(file, master, { create: false, ephemeral: true })
  try {
    migrateDatabase(db, migrations, migrating)
    return createOpenedParts(db, null)
  } catch (error) {
    db.close()
    throw error
  }
}

/** Enables an older file to shrink after deletions. */
function tryEnableShrinking(db: Database, { onIncident }: EngineOptions): void {
  try {
    enableShrinking(db)
  } catch (error) {
    // For example on a full disk: the file stays as it is, and the next start tries again.
    onIncident?.(toIncident(error, 'rewriting the file', null, Date.now()))
  }
}

/** Returns the vault's tenant id; a vault of an older format gets its log key first. */
function ensureLogKey(db: Database, master: Buffer, { now = Date.now }: EngineOptions): string {
  const tenant_id = findTenantId(db)
  createLogKey(db, master, tenant_id, now())
  recordCommit(db)
  return tenant_id
}

/** Failures to count commits become incidents, because no caller waits for the count. */
function createReporter({ onIncident }: EngineOptions): (error: unknown) => void {
  return (error) => onIncident?.(toIncident(error, 'commit count', null, Date.now()))
}

/** SECURITY: the database key is wiped whether or not opening succeeds. */
function openVaultDatabase(
  file: string,
  master: Buffer,
  { create, ephemeral = false }: { create: boolean; ephemeral?: boolean },
): Database {
  const key = deriveDatabaseKey(master)
  try {
    return openDatabase(file, key, { create, durable: !ephemeral })
  } finally {
    key.fill(0)
  }
}

import { CofferError } from '../../../shared/errors.ts'
import type { Database } from './open.ts'

export type Migration = { version: number; name: string; up(db: Database): void }

export type MigrateOptions = {
  /** Called once before an existing vault changes, for the host to back it up. An error stops the migration. */
  beforeMigrating?: (db: Database, from: number, to: number) => void
}

/**
 * Migrates `db` to the last of `migrations` (1, 2, 3 …), each in its own transaction with its `user_version`; a
 * new file in one transaction. Throws `unprocessable` for a file written by a newer Coffer, which is not
 * changed. A migration that throws leaves the previous version, or an empty file.
 */
export function migrateDatabase(
  db: Database,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): void {
  if (migrations.some((each, index) => each.version !== index + 1)) {
    throw new CofferError('internal', 'Migrations must be numbered 1, 2, 3 …')
  }
  assertNotNewer(db, migrations)
  const from = Number(db.pragma('user_version', { simple: true }))
  const to = migrations.length
  if (from === to) return
  if (from > 0) options.beforeMigrating?.(db, from, to)
  // A migration that rebuilds a table must be able to drop the old one without deleting the rows that refer to it.
  db.pragma('foreign_keys = OFF')
  try {
    const outstanding = migrations.slice(from)
    // A new file has no data that would need the versions in between, so one transaction runs all migrations.
    if (from === 0) runMigrations(db, outstanding)
    else for (const each of outstanding) runMigrations(db, [each])
  } finally {
    db.pragma('foreign_keys = ON')
  }
}

/** Throws `unprocessable` for a file written by a newer Coffer. */
export function assertNotNewer(db: Database, migrations: readonly Migration[]): void {
  const format = Number(db.pragma('user_version', { simple: true }))
  if (format <= migrations.length) return
  throw new CofferError(
    'unprocessable',
    `This vault has format ${format}, but this version of Coffer only supports formats up to ${migrations.length}. The vault was left as it is. Install the newer Coffer.`,
  )
}

function runMigrations(db: Database, migrations: readonly Migration[]): void {
  const step = db.transaction(() => {
    for (const { name, version, up } of migrations) {
      up(db)
      if ((db.pragma('foreign_key_check') as unknown[]).length > 0) {
        throw new CofferError('internal', `Migration ${name} would leave dangling references.`)
      }
      db.pragma(`user_version = ${version}`)
    }
  })
  step.immediate()
}

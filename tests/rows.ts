import { hash } from 'node:crypto'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { type Database, openDatabase } from '../electron/engine/db/open.ts'
import type { openVault } from './vault.ts'

type Vault = ReturnType<typeof openVault>

/** Opens the file of a vault in addition to the engine, and runs a function on it. */
export function withDatabase<T>(vault: Vault, run: (db: Database) => T): T {
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  try {
    return run(db)
  } finally {
    db.close()
  }
}

/** Queries every table of a vault's file. */
function ofTables<T>(vault: Vault, ask: (db: Database, table: string) => T): Record<string, T> {
  vault.engine.outcomes.flushLog()
  return withDatabase(vault, (db) => {
    const names = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'commit_count'",
    )
    const tables = names.pluck().all() as string[]
    return Object.fromEntries(tables.map((table) => [table, ask(db, table)]))
  })
}

/** Counts the rows of each table. */
export function countRows(vault: Vault): Record<string, number> {
  return ofTables(vault, (db, table) => Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()))
}

/** Returns a digest of each table of a vault, without the log and without when and how often keys were used. */
export function digestRows(vault: Vault): Record<string, string> {
  const digests = ofTables(vault, (db, table) => {
    const rows = db.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]
    for (const row of rows) {
      delete row.last_used_at
      // Any write may change this count.
      delete row.seals
    }
    return hash('sha256', JSON.stringify(rows))
  })
  return Object.fromEntries(Object.entries(digests).filter(([table]) => !table.startsWith('log')))
}

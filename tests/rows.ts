import { hash } from 'node:crypto'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { type Database, openDatabase } from '../electron/engine/db/open.ts'
import type { openVault } from './vault.ts'

type Vault = ReturnType<typeof openVault>

/** Runs something on the file of a vault, beside the engine. */
export function withDatabase<T>(vault: Vault, run: (db: Database) => T): T {
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  try {
    return run(db)
  } finally {
    db.close()
  }
}

/** Asks something of every table of a vault's file, read beside the engine. */
function ofTables<T>(vault: Vault, ask: (db: Database, table: string) => T): Record<string, T> {
  vault.engine.flushLog()
  return withDatabase(vault, (db) => {
    const names = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'commit_count'",
    )
    const tables = names.pluck().all() as string[]
    return Object.fromEntries(tables.map((table) => [table, ask(db, table)]))
  })
}

/** How many rows each table holds. */
export function countRows(vault: Vault): Record<string, number> {
  return ofTables(vault, (db, table) => Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()))
}

/** A digest of everything a vault keeps, but for its log, when keys were used, and how often. */
export function digestRows(vault: Vault): Record<string, string> {
  const digests = ofTables(vault, (db, table) => {
    const rows = db.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]
    for (const row of rows) {
      delete row.last_used_at
      // A count, which every write may move.
      delete row.seals
    }
    return hash('sha256', JSON.stringify(rows))
  })
  return Object.fromEntries(Object.entries(digests).filter(([table]) => !table.startsWith('log')))
}

import { databaseKey } from '../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../electron/engine/db/open.ts'
import type { openVault } from './vault.ts'

/** How many rows each table of a vault's file holds, read beside the engine. */
export function countRows(vault: ReturnType<typeof openVault>): Record<string, number> {
  vault.engine.flushLog()
  const db = openDatabase(vault.file, databaseKey(vault.master), { create: false })
  try {
    const names = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    const tables = names.pluck().all() as string[]
    const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get())
    return Object.fromEntries(tables.map((table) => [table, count(table)]))
  } finally {
    db.close()
  }
}

import { hash } from 'node:crypto'
import fs from 'node:fs'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../electron/engine/db/migrate.ts'
import { migrations } from '../electron/engine/db/migrations.ts'
import { type Database, openDatabase } from '../electron/engine/db/open.ts'

type File = { readonly file: string; readonly master: Buffer }

/** Columns of format 1 that were renamed or moved since, and how to get their values now. */
const nameNow: Readonly<Record<string, string>> = {
  'idempotency.answer': 'kept',
  'log_entity.at': '(SELECT at FROM log WHERE log.seq = log_entity.seq)',
}

const listColumns = (db: Database, table: string) =>
  db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[]

/** Inserts the metadata digests of format 1, which were not keyed. */
function insertUnkeyedPairs(db: Database): void {
  const digest = (pair: string) => hash('sha256', pair, 'buffer').subarray(0, 16)
  const insert = db.prepare('INSERT OR IGNORE INTO token_metadata VALUES (?, ?, ?, ?, ?)')
  const rows = db.prepare('SELECT id, container, created_at, metadata FROM token WHERE metadata IS NOT NULL')
  for (const { id, container, created_at, metadata } of rows.all() as Record<string, string | number>[]) {
    for (const [key, value] of Object.entries(JSON.parse(String(metadata)) as Record<string, string>)) {
      const pair = JSON.stringify([key, value])
      const lower = JSON.stringify([key.toLowerCase(), value.toLowerCase()])
      insert.run(digest(lower), digest(pair), container, created_at, id)
    }
  }
}

const isThere = (db: Database, table: string) => listColumns(db, table).length > 0

/**
 * Rewrites the file of a closed vault as the first version of Coffer would have written it: format 1, with the same
 * rows.
 */
export function toFirstFormat({ file, master }: File): void {
  const older = `${file}-older`
  const now = openDatabase(file, deriveDatabaseKey(master), { create: false })
  const db = openDatabase(older, deriveDatabaseKey(master), { create: true })
  migrateDatabase(db, migrations.slice(0, 1))
  db.pragma('foreign_keys = OFF')
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )
  for (const table of tables.pluck().all() as string[]) {
    const known = listColumns(now, table)
    if (!isThere(now, table)) continue
    const columns = listColumns(db, table).filter(
      (name) => nameNow[`${table}.${name}`] !== undefined || known.includes(name),
    )
    const rows = now.prepare(
      `SELECT ${columns.map((name) => nameNow[`${table}.${name}`] ?? name)} FROM ${table}`,
    )
    const insert = db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`)
    for (const row of rows.raw().all() as unknown[][]) insert.run(row)
  }
  // Removes or reverts everything that later versions added or changed.
  db.exec("DELETE FROM key WHERE purpose = 'log'")
  insertUnkeyedPairs(db)
  now.close()
  db.close()
  for (const end of ['', '-wal', '-shm', '-commits']) fs.rmSync(file + end, { force: true })
  fs.renameSync(older, file)
}

import Driver from 'better-sqlite3'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../electron/engine/db/migrate.ts'
import { migrations } from '../electron/engine/db/migrations.ts'
import { type Database, openDatabase } from '../electron/engine/db/open.ts'

/**
 * Reduces a closed vault to the tables of its first `format` migrations. Later tables and columns are dropped with
 * their content. A table that has to be rebuilt is empty afterwards.
 */
export function undoMigrations(
  vault: { readonly file: string; readonly master: Buffer },
  format: number,
): void {
  const model = new Driver(':memory:')
  migrateDatabase(model, migrations.slice(0, format))
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  db.pragma('foreign_keys = OFF')
  const old = new Map(listObjects(model).map((each) => [each.name, each]))
  const now = listObjects(db)
  for (const { type, name, sql } of now.toSorted((a, b) => a.type.localeCompare(b.type)))
    if (type !== 'table' && old.get(name)?.sql !== sql) db.exec(`DROP ${type} ${name}`)
  for (const { name } of now.filter((each) => each.type === 'table')) {
    if (old.has(name)) removeColumns(db, name, listColumns(model, name))
    else db.exec(`DROP TABLE ${name}`)
  }
  const left = new Set(listObjects(db).map(({ name }) => name))
  for (const { name, sql } of old.values()) if (!left.has(name)) db.exec(sql)
  db.pragma(`user_version = ${format}`)
  db.close()
  model.close()
}

/** Drops the columns that a table did not have before; drops the table if that does not restore it. */
function removeColumns(db: Database, table: string, before: ReturnType<typeof listColumns>): void {
  const columns = listColumns(db, table)
  const isOld = ({ name }: { name: string }) => before.some((column) => column.name === name)
  if (JSON.stringify(columns.filter(isOld)) !== JSON.stringify(before)) {
    db.exec(`DROP TABLE ${table}`)
    return
  }
  for (const { name } of columns.filter((each) => !isOld(each)))
    db.exec(`ALTER TABLE ${table} DROP COLUMN ${name}`)
}

type Defined = {
  readonly type: 'index' | 'table' | 'trigger' | 'view'
  readonly name: string
  readonly sql: string
}

/** Lists the objects of a database: tables first, then indexes and triggers on them. */
function listObjects(db: Database): Defined[] {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
    ORDER BY type <> 'table', rowid`
  return db.prepare(sql).all() as Defined[]
}

function listColumns(db: Database, table: string) {
  const rows = db.prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)').all(table)
  return (rows as { name: string }[]).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

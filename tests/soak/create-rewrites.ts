import type { Migration } from '../../electron/engine/db/migrate.ts'

/**
 * Returns a migration for each version after `after` up to `to`. Each one rebuilds a table with as many rows as there
 * are tokens.
 */
export function createRewrites(after: number, to: number): Migration[] {
  return Array.from({ length: to - after }, (_, index) => ({
    version: after + index + 1,
    name: `rewrite ${index}`,
    up(db) {
      db.exec('DROP TABLE IF EXISTS copied')
      db.exec('CREATE TABLE copied (id TEXT NOT NULL, data BLOB NOT NULL, round INTEGER NOT NULL) STRICT')
      db.prepare('INSERT INTO copied SELECT id, data, ? FROM token').run(after + index + 1)
    },
  }))
}

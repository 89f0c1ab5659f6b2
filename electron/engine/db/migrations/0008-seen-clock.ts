import type { Database } from '../open.ts'

/**
 * The latest time the vault has seen, in a single row. An existing vault has seen its own creation, its newest log
 * record and its newest token; the row of a new vault is inserted with its tenant.
 */
export function seenClock(db: Database): void {
  db.exec(`
CREATE TABLE seen_clock (at INTEGER NOT NULL) STRICT;
INSERT INTO seen_clock SELECT max(at) FROM (
  SELECT created_at AS at FROM tenant
  UNION ALL SELECT * FROM (SELECT at FROM log ORDER BY seq DESC LIMIT 1)
  UNION ALL SELECT max(created_at) FROM token
) HAVING max(at) IS NOT NULL;
`)
}

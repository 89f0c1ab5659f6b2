import type { Database } from '../open.ts'

/** SQL for the id without its digits, so that they can be counted. */
const digitless = Array.from('0123456789').reduce(
  (text, digit) => `replace(${text}, '${digit}', '')`,
  'entity_id',
)
const manyDigits = `length(entity_id) - length(${digitless}) >= 12
    AND entity_id NOT GLOB '????????-????-????-????-????????????'`

/**
 * Adds a single row with the latest time that the vault has seen. For an existing vault, this is the latest time of its
 * creation, its newest log record and its newest token. The row of a new vault is inserted with its tenant. Ids in the
 * log that must be masked now, but were not before, are listed for the indexer.
 */
export function addClockGuard(db: Database): void {
  db.exec(`
CREATE TABLE seen_clock (at INTEGER NOT NULL) STRICT;
INSERT INTO seen_clock SELECT max(at) FROM (
  SELECT created_at AS at FROM tenant
  UNION ALL SELECT * FROM (SELECT at FROM log ORDER BY seq DESC LIMIT 1)
  UNION ALL SELECT max(created_at) FROM token
) HAVING max(at) IS NOT NULL;
INSERT OR IGNORE INTO log_unmasked
  SELECT entity_id FROM log INDEXED BY log_by_entity WHERE entity_id IS NOT NULL AND ${manyDigits}
  UNION SELECT entity_id FROM log_entity WHERE ${manyDigits};
`)
}

import type { Database } from '../open.ts'

const TWELVE_DIGITS = `*${'[0-9]'.repeat(12)}*`

/**
 * Adds the request data of a record, and the index for searching records. Older records are indexed in blocks
 * once the vault is open; of their ids, only those that must be masked are listed here.
 */
export function addLogSearch(db: Database): void {
  db.exec(`
ALTER TABLE log ADD COLUMN request TEXT;
ALTER TABLE log ADD COLUMN key_hint TEXT;
ALTER TABLE log ADD COLUMN detail TEXT;

-- A run of consecutive records whose terms are all in log_term; a record in no block is read itself.
CREATE TABLE log_block (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- Some of its records were deleted: its terms hold no longer and are deleted too.
  gone INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX log_block_gone ON log_block (first) WHERE gone;

-- Which records of a block have a term that many have: their places in it, as places.ts writes them.
CREATE TABLE log_term (
  block INTEGER NOT NULL,
  term TEXT NOT NULL,
  places BLOB NOT NULL,
  PRIMARY KEY (block, term)
) STRICT, WITHOUT ROWID;

-- Trace ids and entity ids, of which a block has about as many as records.
CREATE TABLE log_id (
  block INTEGER NOT NULL,
  term TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (block, term, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_unmasked (entity_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO log_unmasked SELECT entity_id FROM log INDEXED BY log_by_entity
  WHERE entity_id IS NOT NULL AND (entity_id GLOB '${TWELVE_DIGITS}' OR length(entity_id) > 400)
  UNION SELECT entity_id FROM log_entity
  WHERE entity_id GLOB '${TWELVE_DIGITS}' OR length(entity_id) > 400;
`)
}

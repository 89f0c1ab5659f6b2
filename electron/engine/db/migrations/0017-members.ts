import type { Database } from '../open.ts'

/** Adds invitations, the tenant's security contact, and the number of tokens of each type. */
export function addMembers(db: Database): void {
  db.exec(`
ALTER TABLE tenant ADD COLUMN security_contact TEXT;

CREATE TABLE invitation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;

-- token_count has a row per container, of which there may be as many as tokens: too many to add up for one answer.
CREATE TABLE token_type_count (
  type TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO token_type_count
  SELECT type, sum(tokens), max(last_created_at) FROM token_count GROUP BY type;
-- With the type, so that counting what has expired reads no tokens.
DROP INDEX token_by_expiry;
CREATE INDEX token_by_expiry ON token (expires_at, type) WHERE expires_at IS NOT NULL;
DROP TRIGGER token_removed;
CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN
  UPDATE token_count SET tokens = tokens - 1 WHERE type = old.type AND container = old.container;
  UPDATE token_type_count SET tokens = tokens - 1 WHERE type = old.type;
END;
`)
}

import type { Database } from '../open.ts'

/** Sessions of 3D Secure (rule S-01). */
export function addThreeDs(db: Database): void {
  db.exec(`
-- acs_transaction_id: known to the session's pages alone, which may answer its challenge. content: sealed JSON.
CREATE TABLE three_ds_session (
  id TEXT PRIMARY KEY,
  acs_transaction_id TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX three_ds_session_by_expiry ON three_ds_session (expires_at);
`)
}

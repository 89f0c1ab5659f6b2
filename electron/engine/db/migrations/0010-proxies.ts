import type { Database } from '../open.ts'

export function addProxies(db: Database): void {
  db.exec(`
-- configuration: sealed JSON. transforms: JSON of the four members that hold them, as they were given.
CREATE TABLE proxy (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  destination_url TEXT NOT NULL,
  transforms TEXT NOT NULL,
  configuration BLOB NOT NULL,
  application_id TEXT,
  require_auth INTEGER NOT NULL,
  disable_detokenization INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE INDEX proxy_by_creation ON proxy (created_at);
`)
}

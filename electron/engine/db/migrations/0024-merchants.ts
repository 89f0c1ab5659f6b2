import type { Database } from '../open.ts'

export function addMerchants(db: Database): void {
  db.exec(`
-- details: JSON, as requested. services: JSON, the networks by service.
CREATE TABLE merchant (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  details TEXT NOT NULL,
  services TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
`)
}

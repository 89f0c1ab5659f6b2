import type { Database } from '../open.ts'

export function addTenantConnections(db: Database): void {
  db.exec(`
-- At most one row. options: JSON, as requested.
CREATE TABLE tenant_connection (
  id TEXT PRIMARY KEY,
  strategy TEXT NOT NULL,
  options TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
`)
}

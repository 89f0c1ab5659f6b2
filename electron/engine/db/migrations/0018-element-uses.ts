import type { Database } from '../open.ts'

/** Adds the table of pages whose elements used an application. */
export function addElementUses(db: Database): void {
  db.exec(`
-- key_id: the key last used there; null for one of its sessions. It may have been deleted since.
CREATE TABLE element_use (
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  key_id TEXT,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (application_id, origin)
) STRICT, WITHOUT ROWID;
`)
}

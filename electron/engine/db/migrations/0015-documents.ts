import type { Database } from '../open.ts'

/** Documents, and the sealed chunks of their content (rule D-01). */
export function addDocuments(db: Database): void {
  db.exec(`
-- metadata: JSON of pairs. bytes: the length of the content.
CREATE TABLE document (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  metadata TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;

-- number: the place of the chunk in its document, from 0. data: sealed under the data key of key_version, which stands
-- here too because data is long: reading a row up to this column reads none of it.
CREATE TABLE document_chunk (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  key_version INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (document_id, number)
) STRICT;

-- The ids of chunks that belong to no document: of an upload under way, or to be removed.
CREATE TABLE loose_document (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
`)
}

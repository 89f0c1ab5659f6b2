import type { Database } from '../open.ts'

/**
 * Adds metadata of the HTTP request to a record: `agent` is the program according to its user agent; `http` is JSON
 * with sizes, headers and query parameters. Both are null for older records and for calls that did not come over HTTP.
 */
export function addRequestMetadata(db: Database): void {
  db.exec(`
ALTER TABLE log ADD COLUMN agent TEXT;
ALTER TABLE log ADD COLUMN http TEXT;

-- What the owner keeps of requests that the window sends. content: sealed JSON.
CREATE TABLE draft (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX draft_by_kind ON draft (kind);

-- For the deliveries that came of a request.
CREATE INDEX event_by_trace ON event (trace_id);
`)
}

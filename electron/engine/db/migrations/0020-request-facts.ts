import type { Database } from '../open.ts'

/**
 * What is known of the HTTP request behind a record: `agent` is the program as its user agent names it; `http` is JSON
 * with sizes, headers and names of the query. Both are null for older records and for calls that came in another way.
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

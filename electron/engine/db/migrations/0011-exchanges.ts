import type { Database } from '../open.ts'

/** Exchanges: proxy calls stored for the owner (rule G-07). */
export function addExchanges(db: Database): void {
  db.exec(`
-- content: sealed JSON of what was sent and what came back. path: without its query.
CREATE TABLE exchange (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  trace_id TEXT NOT NULL,
  proxy_id TEXT,
  method TEXT NOT NULL,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER,
  duration_us INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX exchange_by_trace ON exchange (trace_id);
CREATE INDEX exchange_by_proxy ON exchange (proxy_id);
`)
}

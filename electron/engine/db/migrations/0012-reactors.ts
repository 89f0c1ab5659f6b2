import type { Database } from '../open.ts'

/** Reactors, their runs, and the requests of callers that did not wait (rules F-01, F-04, F-05). */
export function addReactors(db: Database): void {
  db.exec(`
-- configuration: sealed JSON. runtime: JSON, as it was given.
CREATE TABLE reactor (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  configuration BLOB NOT NULL,
  application_id TEXT,
  runtime TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE INDEX reactor_by_creation ON reactor (created_at);

-- content: sealed JSON of what the code printed, why it failed, and which tokens were used.
CREATE TABLE reactor_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  trace_id TEXT NOT NULL,
  reactor_id TEXT,
  proxy_id TEXT,
  kind TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX reactor_run_by_trace ON reactor_run (trace_id);
CREATE INDEX reactor_run_by_reactor ON reactor_run (reactor_id);
CREATE INDEX reactor_run_by_proxy ON reactor_run (proxy_id);

-- opening: which opening of the vault runs it. status, result: null while it runs; the sealed body of the answer.
CREATE TABLE reactor_request (
  id TEXT PRIMARY KEY,
  reactor_id TEXT NOT NULL,
  creator_id TEXT,
  opening TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  status INTEGER,
  result BLOB
) STRICT;
CREATE INDEX reactor_request_by_expiry ON reactor_request (expires_at);
`)
}

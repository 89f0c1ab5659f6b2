import type { Database } from '../open.ts'

export function addAccountUpdater(db: Database): void {
  db.exec(`
-- upload_key, download_key: the random parts of the URLs. deduplicate: null for the tenant's setting. columns: those of
-- the uploaded file, JSON. parts: how many parts the file has. results: how many rows had each result, JSON. active_at:
-- when rows were last processed.
CREATE TABLE account_updater_job (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  upload_key TEXT NOT NULL UNIQUE,
  download_key TEXT NOT NULL UNIQUE,
  deduplicate INTEGER,
  merchant_id TEXT,
  result_version TEXT NOT NULL,
  columns TEXT,
  parts INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  results TEXT NOT NULL DEFAULT '{}',
  error TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  active_at INTEGER
) STRICT;
CREATE INDEX account_updater_job_by_expiry ON account_updater_job (expires_at);

-- kind: upload or result. lines: a few lines of the file.
CREATE TABLE account_updater_part (
  job_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (job_id, kind, number)
) STRICT;
`)
}

import type { Database } from '../open.ts'

export function addNetworkTokens(db: Database): void {
  db.exec(`
-- fingerprint: of the number of the card. content: sealed JSON.
CREATE TABLE network_token (
  id TEXT PRIMARY KEY,
  fingerprint BLOB NOT NULL UNIQUE,
  content BLOB NOT NULL,
  status TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;

-- The tokens and token intents with the card of a network token. kind: token or token_intent.
CREATE TABLE network_token_source (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_token_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  UNIQUE (source_id, kind, network_token_id)
) STRICT;
CREATE INDEX network_token_source_by_network_token ON network_token_source (network_token_id, kind);
`)
}

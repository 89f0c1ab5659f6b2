import type { Database } from '../open.ts'

/** Agentic payments (rule Z-03). */
export function addAgentic(db: Database): void {
  db.exec(`
-- instance_details: JSON, as requested.
CREATE TABLE agent (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  instance_details TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;

-- state: how far the verification has come. stepped_at: when it last went on. redirect_key: the random part of the URL
-- of the network's page. content: sealed JSON.
CREATE TABLE enrollment (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  token_id TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  wallet_name TEXT NOT NULL,
  state TEXT NOT NULL,
  stepped_at INTEGER NOT NULL,
  redirect_key TEXT UNIQUE,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE agent_enrollment (
  agent_id TEXT NOT NULL,
  enrollment_id TEXT NOT NULL,
  PRIMARY KEY (agent_id, enrollment_id)
) STRICT;
CREATE INDEX agent_enrollment_by_enrollment ON agent_enrollment (enrollment_id);

-- content: sealed JSON.
CREATE TABLE instruction (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  enrollment_id TEXT NOT NULL,
  credential_type TEXT NOT NULL,
  state TEXT NOT NULL,
  content BLOB NOT NULL,
  expires_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX instruction_by_agent ON instruction (agent_id);
`)
}

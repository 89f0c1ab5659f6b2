import type { Database } from '../open.ts'

/** The first schema. Times are epoch milliseconds; a digest is a BLOB; plaintext is stored sealed. */
export function createInitialSchema(db: Database): void {
  db.exec(`
CREATE TABLE tenant (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;

CREATE TABLE key (
  purpose TEXT NOT NULL,
  version INTEGER NOT NULL,
  wrapped BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (purpose, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE application (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  permissions TEXT NOT NULL,
  rules TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER,
  expires_at INTEGER,
  expires_text TEXT
) STRICT;
CREATE INDEX application_by_expiry ON application (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE application_key (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  digest BLOB NOT NULL UNIQUE,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX application_key_by_application ON application_key (application_id, created_at);

CREATE TABLE token (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data BLOB NOT NULL,
  containers TEXT,
  mask TEXT,
  metadata TEXT,
  search_indexes TEXT,
  index_digests BLOB,
  fingerprint_expression TEXT,
  fingerprint BLOB,
  expires_at INTEGER,
  expires_text TEXT,
  cvc_stored_at INTEGER,
  created_by TEXT,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE INDEX token_by_container ON token (container, created_at, id);
CREATE INDEX token_by_type ON token (type, container, created_at, id);
CREATE INDEX token_by_fingerprint ON token (fingerprint, container, created_at, id)
  WHERE fingerprint IS NOT NULL;
CREATE INDEX token_by_created ON token (created_at, id, container);
CREATE INDEX token_by_expiry ON token (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX token_by_cvc ON token (cvc_stored_at) WHERE cvc_stored_at IS NOT NULL;

-- Only for tokens in more than one container: a row for every container above or at each of them,
-- so that a list of any container is one ordered walk.
CREATE TABLE token_membership (
  ancestor TEXT NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (ancestor, container, created_at, id)
) STRICT, WITHOUT ROWID;

-- folded: digest of the pair in lower case; exact: digest of the pair as it is.
CREATE TABLE token_metadata (
  folded BLOB NOT NULL,
  exact BLOB NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (folded, exact, container, created_at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_index (
  digest BLOB NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (digest, container, created_at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_count (
  type TEXT NOT NULL,
  container TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL,
  PRIMARY KEY (container, type)
) STRICT, WITHOUT ROWID;
-- Inserting counts for itself: with a trigger on it SQLite journals every page of every insert once more.
CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN
  UPDATE token_count SET tokens = tokens - 1 WHERE type = old.type AND container = old.container;
END;
CREATE TRIGGER token_moved AFTER UPDATE OF container ON token WHEN old.container <> new.container BEGIN
  UPDATE token_count SET tokens = tokens - 1 WHERE type = old.type AND container = old.container;
  INSERT INTO token_count VALUES (new.type, new.container, 1, new.created_at)
    ON CONFLICT DO UPDATE SET tokens = tokens + 1, last_created_at = max(last_created_at, new.created_at);
  INSERT INTO token_move (id, created_at, container, moved_at)
    VALUES (old.id, old.created_at, old.container, new.modified_at);
END;

-- Where a token was before it moved, so that a walk that had begun meets it there once.
CREATE TABLE token_move (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  container TEXT NOT NULL,
  moved_at INTEGER NOT NULL
) STRICT;
CREATE INDEX token_move_by_token ON token_move (id, created_at, seq);
CREATE INDEX token_move_by_time ON token_move (moved_at);

CREATE TABLE token_intent (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  data BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX token_intent_by_expiry ON token_intent (expires_at);

CREATE TABLE session (
  id TEXT PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  nonce BLOB NOT NULL UNIQUE,
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  authorized_by TEXT REFERENCES application (id) ON DELETE CASCADE,
  permissions TEXT NOT NULL,
  rules TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_expiry ON session (expires_at);

CREATE TABLE log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  operation TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT,
  status INTEGER NOT NULL,
  note TEXT,
  trace_id TEXT NOT NULL,
  duration_us INTEGER NOT NULL
) STRICT;
CREATE INDEX log_by_entity ON log (entity_id, at) WHERE entity_id IS NOT NULL;
CREATE INDEX log_by_type ON log (entity_type, at);
-- What a list shows that asks for no entity: everything but successful reading of the log itself.
CREATE INDEX log_shown ON log (at) WHERE entity_type <> 'log' OR status >= 400;

-- Only for records about more than one entity: a row for each of them.
CREATE TABLE log_entity (
  entity_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (entity_id, at, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_entity_by_record ON log_entity (seq);

CREATE TABLE log_count (
  entity_type TEXT NOT NULL,
  refused INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (entity_type, refused)
) STRICT, WITHOUT ROWID;
-- Inserting counts for itself, as for tokens.
CREATE TRIGGER log_removed AFTER DELETE ON log BEGIN
  UPDATE log_count SET records = records - 1
    WHERE entity_type = old.entity_type AND refused = (old.status >= 400);
  DELETE FROM log_entity WHERE seq = old.seq;
END;

CREATE TABLE idempotency (
  scope BLOB PRIMARY KEY,
  answer BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- Which tokens a kept answer shows: it goes when one of them does.
CREATE TABLE idempotency_token (
  token_id TEXT NOT NULL,
  scope BLOB NOT NULL REFERENCES idempotency (scope) ON DELETE CASCADE,
  PRIMARY KEY (token_id, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_token_by_scope ON idempotency_token (scope);

CREATE TABLE bank_account (
  routing_number TEXT NOT NULL,
  account_number TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (routing_number, account_number)
) STRICT, WITHOUT ROWID;

-- Ranges of prefixes with the same number of digits; no two of a length overlap.
CREATE TABLE bin (
  digits INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  brand TEXT,
  funding TEXT,
  authentication TEXT,
  additional TEXT,
  PRIMARY KEY (digits, first)
) STRICT, WITHOUT ROWID;
`)
}

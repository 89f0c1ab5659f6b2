import type { Database } from '../open.ts'

/**
 * For an idempotency key, the table now stores what a call created, instead of its response, which could show
 * data that has since been hidden, changed or deleted. Earlier calls remain without their responses, so that
 * nothing is created twice.
 */
export function addCallReplays(db: Database): void {
  db.exec(`
DROP TABLE idempotency_token;
ALTER TABLE idempotency RENAME TO idempotency_before;
DROP INDEX idempotency_by_expiry;

-- kept: sealed; null for a call of before. tokens: how many rows in idempotency_token it began with.
CREATE TABLE idempotency (
  scope BLOB PRIMARY KEY,
  kept BLOB,
  tokens INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
INSERT INTO idempotency SELECT scope, NULL, 0, expires_at FROM idempotency_before;
DROP TABLE idempotency_before;

-- The tokens that a kept call needs to be answered again; a row goes with its token.
CREATE TABLE idempotency_token (
  token_id TEXT NOT NULL,
  scope BLOB NOT NULL REFERENCES idempotency (scope) ON DELETE CASCADE,
  PRIMARY KEY (token_id, scope)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_token_by_scope ON idempotency_token (scope);
`)
}

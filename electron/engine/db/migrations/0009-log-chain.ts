import type { Database } from '../open.ts'

/**
 * Adds a hash chain over the log, a count of seals for each data key, and keyed digests of metadata. The chain begins
 * with the next record. Unkeyed digests of metadata stay in `token_metadata` until the sweep has computed all keyed
 * ones.
 */
export function addLogChain(db: Database): void {
  db.exec(`
-- One row for each write to the log. digest: keyed, of the digest before it and of the records from first to last.
-- gone: how many of these records retention has deleted. The first row is where the chain begins.
CREATE TABLE log_chain (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  digest BLOB NOT NULL
) STRICT;
INSERT INTO log_chain (first, last, digest)
  SELECT 0, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'log'), 0), x'';

-- How many values a key has sealed, or a little more.
ALTER TABLE key ADD COLUMN seals INTEGER NOT NULL DEFAULT 0;
-- Nobody counted until now. A record stands for at most two values, except where it created many tokens at once.
UPDATE key SET seals = coalesce((SELECT max(seq) FROM token), 0)
    + 2 * coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'log'), 0)
  WHERE purpose = 'data';

-- folded: keyed digest of the pair in lower case; exact: keyed digest of the pair as it is.
CREATE TABLE token_pair (
  folded BLOB NOT NULL,
  exact BLOB NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (folded, exact, container, created_at, id)
) STRICT, WITHOUT ROWID;
`)
  if (!db.prepare('SELECT 1 FROM token_metadata LIMIT 1').get()) {
    db.exec('DROP TABLE token_metadata')
    return
  }
  db.exec(`
-- after: the pairs of tokens up to this one have keyed digests; null once all have, and token_metadata is being emptied.
CREATE TABLE token_pair_progress (after INTEGER) STRICT;
INSERT INTO token_pair_progress VALUES (0);
`)
}

import type { Database } from '../open.ts'

/**
 * Adds search terms, with which the owner finds tokens beyond the filters of the API, and the owner's saved searches.
 */
export function addTokenTerms(db: Database): void {
  db.exec(`
-- term: a metadata key or value without regard to case, or the keyed digest of the last four characters that a mask shows.
CREATE TABLE token_term (
  term BLOB NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (term, seq)
) STRICT, WITHOUT ROWID;

-- upto: the terms of tokens up to this one are in token_term; later tokens are read themselves.
CREATE TABLE token_term_progress (upto INTEGER NOT NULL) STRICT;
INSERT INTO token_term_progress VALUES (0);

-- query: filters and order as the address of the window has them.
CREATE TABLE saved_search (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  query TEXT NOT NULL
) STRICT;
`)
}

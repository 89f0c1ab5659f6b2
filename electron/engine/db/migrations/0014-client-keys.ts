import type { Database } from '../open.ts'

export function addClientKeys(db: Database): void {
  db.exec(`
-- private: the sealed text of a JWK's d. public: the 32 bytes of the public key.
CREATE TABLE client_key (
  id TEXT PRIMARY KEY,
  private BLOB NOT NULL,
  public BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX client_key_by_expiry ON client_key (expires_at);
`)
}

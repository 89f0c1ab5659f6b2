import type { Database } from '../open.ts'

/** Apple Pay and Google Pay (rule Z-02). */
export function addWallets(db: Database): void {
  db.exec(`
CREATE TABLE wallet_merchant (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  merchant_identifier TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;

-- merchant_id: NULL for the vault's own key pair. key_hash: SHA-256 of the public key, in base64. merchant_hash:
-- SHA-256 of Apple's merchant identifier, in hex. private_key: sealed PKCS#8. shown: fingerprints and expiry, as JSON.
CREATE TABLE wallet_certificate (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  merchant_id TEXT,
  domain TEXT,
  key_hash TEXT NOT NULL,
  merchant_hash TEXT,
  private_key BLOB NOT NULL,
  shown TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_certificate_by_merchant ON wallet_certificate (merchant_id);

-- id: the domain.
CREATE TABLE wallet_domain (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT;

-- content: sealed JSON.
CREATE TABLE apple_pay (
  id TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX apple_pay_by_expiry ON apple_pay (expires_at);

CREATE TABLE google_pay (
  id TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX google_pay_by_expiry ON google_pay (expires_at);

-- extras: what a wallet said about the card, as JSON.
ALTER TABLE token_intent ADD COLUMN extras TEXT;
`)
}

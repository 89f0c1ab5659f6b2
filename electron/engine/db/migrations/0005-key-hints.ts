import type { Database } from '../open.ts'

/**
 * Adds columns that distinguish keys: `hint` is the prefix and the last four characters of a key, null for an
 * older key until it is used again; `replaces` is the key that a rotation will delete. An application stores
 * the last use of its deleted keys.
 */
export function addKeyHints(db: Database): void {
  db.exec(`
ALTER TABLE application_key ADD COLUMN hint TEXT;
ALTER TABLE application_key ADD COLUMN replaces TEXT;
ALTER TABLE application ADD COLUMN last_used_at INTEGER;
`)
}

import type { Database } from '../open.ts'

/**
 * What tells keys apart: `hint` is the prefix and the last four characters of a key, null until one that was made
 * before is used again; `replaces` is the key that a rotation is to end with. An application keeps the last use of its
 * deleted keys.
 */
export function addKeyHints(db: Database): void {
  db.exec(`
ALTER TABLE application_key ADD COLUMN hint TEXT;
ALTER TABLE application_key ADD COLUMN replaces TEXT;
ALTER TABLE application ADD COLUMN last_used_at INTEGER;
`)
}

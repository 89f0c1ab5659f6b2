import type { Database } from '../open.ts'

/** Adds what an imported BIN file says about the issuer of a range, as JSON. */
export function addBinFacts(db: Database): void {
  db.exec('ALTER TABLE bin ADD COLUMN facts TEXT')
}

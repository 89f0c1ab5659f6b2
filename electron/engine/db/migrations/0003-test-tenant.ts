import type { Database } from '../open.ts'

/** A tenant's type is one that the interface has (rule O-06). */
export function addTestTenant(db: Database): void {
  db.exec("UPDATE tenant SET type = 'test'")
}

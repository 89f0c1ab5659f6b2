import type { Database } from '../open.ts'

/** Sets a tenant type that exists in the API (rule O-06). */
export function addTestTenant(db: Database): void {
  db.exec("UPDATE tenant SET type = 'test'")
}

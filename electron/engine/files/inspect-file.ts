import { databaseKey, Keyring } from '../crypto/keyring.ts'
import { openReadOnly } from '../db/open.ts'
import { checkDatabase } from '../db/snapshot.ts'
import { findTenantId } from '../tenants/store.ts'

/** Reads a whole vault file, which may be open elsewhere, and unwraps its keys. Throws `damaged`, `unavailable`. */
export function inspectFile({ database, master }: { database: string; master: Buffer }): {
  format: number
  data_keys: number
} {
  const key = databaseKey(master)
  try {
    const { format } = checkDatabase(database, key)
    const db = openReadOnly(database, key)
    try {
      return { format, data_keys: new Keyring(db, master, findTenantId(db)).dataKeys }
    } finally {
      db.close()
    }
  } finally {
    key.fill(0)
  }
}

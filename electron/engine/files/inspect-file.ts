import { deriveDatabaseKey, Keyring } from '../crypto/keyring.ts'
import { checkDatabase } from '../db/copy-database.ts'
import { openReadOnly } from '../db/open.ts'
import { findTenantId } from '../resources/tenants/store.ts'
import { checkDocuments } from './check-documents.ts'
import { checkLog, type LogCheck } from './check-log.ts'

export type VaultDatabaseFile = { readonly database: string; readonly master: Buffer }

/** Facts about the contents of a vault file. */
export type VaultFileContents = {
  /** The number of data keys: more than one while the data key is being changed. */
  readonly data_keys: number
  /** The approximate number of values sealed under the newest data key. */
  readonly seals: number
  /** The numbers of documents that have all their chunks (`whole`) and of those that lack some (`broken`). */
  readonly documents: { readonly whole: number; readonly broken: number }
  /** The result of checking the log; null for a file of an older format, which has no chain. */
  readonly log: LogCheck | null
}

/**
 * Reads an entire vault file, unwraps its keys and checks its log. Other connections may have the file open. Throws
 * `damaged`, `unavailable`.
 */
export function inspectFile(
  file: VaultDatabaseFile,
  onProgress?: (done: number, total: number) => void,
): VaultFileContents & { readonly format: number } {
  const key = deriveDatabaseKey(file.master)
  try {
    const { format } = checkDatabase(file.database, key)
    return { format, ...inspectContents(file, key, onProgress) }
  } finally {
    key.fill(0)
  }
}

/** Unwraps the keys of a vault file and checks its log. Throws `damaged`, `unavailable`. */
export function inspectContents(
  { database, master }: VaultDatabaseFile,
  key: Buffer,
  onProgress?: (done: number, total: number) => void,
): VaultFileContents {
  const db = openReadOnly(database, key)
  try {
    const keyring = new Keyring(db, master, findTenantId(db))
    const { dataKeyCount: data_keys, seals } = keyring
    return { data_keys, seals, documents: checkDocuments(db), log: checkLog(db, keyring, onProgress) }
  } finally {
    db.close()
  }
}

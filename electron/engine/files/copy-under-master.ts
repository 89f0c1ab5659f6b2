import fs from 'node:fs'
import { deriveDatabaseKey, Keyring, renewKeys, rewrapKeys } from '../crypto/keyring.ts'
import { checkDatabase, copyDatabaseFile } from '../db/copy-database.ts'
import { openDatabase, rekeyDatabase } from '../db/open.ts'
import { findTenantId } from '../resources/tenants/store.ts'
import { renewLookups } from './renew-lookups.ts'

type CopyUnderMasterJob = {
  readonly database: string
  readonly master: Buffer
  readonly next: Buffer
  /** The path of the new file. */
  readonly target: string
  readonly now: number
  /** Whether to renew the fingerprint key too, which changes every fingerprint. */
  readonly fingerprints: boolean
}

/** The number of progress steps: copy, renew keys, re-encrypt, check. */
const STEPS = 4
/** The page cache of this connection, in KiB: larger than usual, because the entries are scattered over the file. */
const CACHE_KIB = 64 * 1024

/**
 * Copies a vault file under another master secret. The copy is encrypted with a key derived from that secret. Its data
 * and log keys are rewrapped; its index and cursor keys are new. The copy is checked and synced to disk. Throws
 * `damaged`, `unavailable`, `storage_full`, and `conflict` if the target exists.
 */
export function copyUnderMaster(
  { database, master, next, target, now, fingerprints }: CopyUnderMasterJob,
  onProgress: (done: number, total: number) => void = () => {},
): void {
  const keys = [deriveDatabaseKey(master), deriveDatabaseKey(next)] as const
  const [key, nextKey] = keys
  try {
    copyDatabaseFile(database, key, target)
    onProgress(1, STEPS)
    const db = openDatabase(target, key, { create: false })
    try {
      // SQLite need not sync, because the fsync below makes the copy durable.
      db.pragma('synchronous = OFF')
      db.pragma(`cache_size = -${CACHE_KIB}`)
      const tenant_id = findTenantId(db)
      rewrapKeys(db, { from: master, to: next }, tenant_id)
      const renewed = fingerprints
        ? (['index', 'cursor', 'fingerprint'] as const)
        : (['index', 'cursor'] as const)
      renewKeys(db, next, tenant_id, renewed, now)
      renewLookups(db, new Keyring(db, next, tenant_id), { fingerprints }, (done, total) =>
        onProgress(total + done, STEPS * total),
      )
      rekeyDatabase(db, nextKey)
    } finally {
      db.close()
    }
    onProgress(3, STEPS)
    checkDatabase(target, nextKey)
    const descriptor = fs.openSync(target, 'r+')
    try {
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
    onProgress(STEPS, STEPS)
  } finally {
    for (const each of keys) each.fill(0)
  }
}

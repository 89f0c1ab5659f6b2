import fs from 'node:fs'
import { databaseKey, rewrapKeys } from '../crypto/keyring.ts'
import { openDatabase, rekeyDatabase } from '../db/open.ts'
import { checkDatabase, snapshot } from '../db/snapshot.ts'
import { findTenantId } from '../tenants/store.ts'

type Order = {
  readonly database: string
  readonly master: Buffer
  readonly next: Buffer
  /** The new file. */
  readonly target: string
}

/**
 * Copies a vault file, as it is now, under another master secret. The copy is encrypted with a key from that secret,
 * its keys are rewrapped, and it is checked and durable. Throws `conflict` (the target exists), `damaged`, `unavailable`,
 * `storage_full`.
 */
export function copyUnderMaster(
  { database, master, next, target }: Order,
  onProgress: (done: number, total: number) => void = () => {},
): void {
  const keys = [databaseKey(master), databaseKey(next)] as const
  const [key, nextKey] = keys
  try {
    snapshot(database, key, target)
    onProgress(1, 3)
    const db = openDatabase(target, key, { create: false })
    try {
      rewrapKeys(db, { from: master, to: next }, findTenantId(db))
      rekeyDatabase(db, nextKey)
    } finally {
      db.close()
    }
    onProgress(2, 3)
    checkDatabase(target, nextKey)
    const descriptor = fs.openSync(target, 'r+')
    try {
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
    onProgress(3, 3)
  } finally {
    for (const each of keys) each.fill(0)
  }
}

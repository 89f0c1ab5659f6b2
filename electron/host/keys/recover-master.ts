import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { deriveDatabaseKey, openReadOnly, undoJournal } from '../../engine/index.ts'
import { type Header, type NextMaster, withNextMaster, writeHeader } from '../files/header.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import { removeFromKeychain } from './keychain.ts'
import { deriveLinkKey, isMaster, type Slot, unwrapMaster } from './master.ts'

/** Returns the path of the copy that is encrypted under the next master secret and will replace `database`. */
export function getNextDatabaseFile(database: string): string {
  return `${database}.next`
}

type RecoveredMaster = {
  readonly master: Buffer
  /** Completes or undoes the change in the header, the keychain and the folder. Null if no change was interrupted. */
  readonly finish: (() => Promise<void>) | null
}

/**
 * Decides an interrupted change of the master secret: from now on, the vault's secret is the one that opens the
 * database. Takes either secret, returns the one that applies and wipes the other. Changes nothing before `finish`,
 * except that it undoes an interrupted change between journal modes. Throws `damaged` if neither opens the database.
 */
export function recoverMaster(files: VaultFiles, header: Header, master: Buffer): RecoveredMaster {
  const { next } = header
  if (!next) {
    withDatabaseKey(master, (key) => undoJournal(files.database, key))
    return { master, finish: null }
  }
  const { old, fresh } = unwrapBoth(files.header, header, next, master)
  if (canOpen(files.database, fresh)) {
    old.fill(0)
    return { master: fresh, finish: () => adoptNextMaster(files, header, next) }
  }
  try {
    // If the old secret does not open the database either, this throws the reason.
    recoverDatabase(files.database, old)
  } catch (error) {
    old.fill(0)
    fresh.fill(0)
    throw error
  }
  fresh.fill(0)
  return { master: old, finish: () => dropNextMaster(files, header, next) }
}

/** Replaces the old secret with the new one, which has opened the database, and removes the old keychain entry. */
export async function adoptNextMaster(
  files: VaultFiles,
  header: Header,
  next: NextMaster,
  assertOpen: () => void = () => {},
): Promise<void> {
  // The entry is removed first, because only the old header records it.
  if (header.keychain) await removeFromKeychain(header.keychain)
  assertOpen()
  writeHeader(files.header, withNextMaster(header, next))
}

/** Keeps the old secret and removes all traces of the new one. */
export async function dropNextMaster(
  files: VaultFiles,
  header: Header,
  next: NextMaster,
  assertOpen: () => void = () => {},
): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm']) {
    fs.rmSync(getNextDatabaseFile(files.database) + end, { force: true })
  }
  if (next.keychain) await removeFromKeychain(next.keychain)
  assertOpen()
  const { next: _, ...withoutNext } = header
  writeHeader(files.header, withoutNext)
}

function unwrapBoth(file: string, header: Header, next: NextMaster, master: Buffer) {
  const unwrapOther = (wrapped: string, slot: Slot) => {
    const key = deriveLinkKey(master, header.vault_id)
    const unwrapped = unwrapMaster(wrapped, key, header.vault_id, slot)
    key.fill(0)
    if (unwrapped) return unwrapped
    throw new CofferError(
      'damaged',
      `${file} does not match the master secret. It was not changed. Put back a copy of it, or restore a backup.`,
    )
  }
  if (isMaster(master, header.vault_id, header.check)) {
    return { old: master, fresh: unwrapOther(next.under_old, 'next') }
  }
  return { old: unwrapOther(next.old_under_new, 'previous'), fresh: master }
}

function canOpen(database: string, master: Buffer): boolean {
  try {
    recoverDatabase(database, master)
    return true
  } catch {
    return false
  }
}

function recoverDatabase(database: string, master: Buffer): void {
  withDatabaseKey(master, (key) => {
    undoJournal(database, key)
    openReadOnly(database, key).close()
  })
}

function withDatabaseKey(master: Buffer, use: (key: Buffer) => void): void {
  const key = deriveDatabaseKey(master)
  try {
    use(key)
  } finally {
    key.fill(0)
  }
}

import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { databaseKey } from '../../engine/crypto/keyring.ts'
import { openReadOnly } from '../../engine/db/open.ts'
import { undoJournal } from '../../engine/db/undo-journal.ts'
import { type Header, type NextMaster, withNextMaster, writeHeader } from '../files/header.ts'
import type { VaultFiles } from '../files/vault-files.ts'
import { removeFromKeychain } from './keychain.ts'
import { isMaster, linkKey, type Slot, unwrapMaster } from './master.ts'

/** The copy of a vault's database under the next master secret, until it replaces the database. */
export function nextDatabase(database: string): string {
  return `${database}.next`
}

type Settled = {
  readonly master: Buffer
  /** Completes or undoes the change in the header, the keychain and the folder; null where nothing was interrupted. */
  readonly finish: (() => Promise<void>) | null
}

/**
 * Decides an interrupted change of the master secret: whichever of the two opens the database is the vault's from now
 * on. Takes either secret, returns the one that applies and wipes the other. Changes nothing before `finish`, except
 * that it undoes an interrupted change between journal modes. Throws `damaged` where neither opens it.
 */
export function settleMaster(files: VaultFiles, header: Header, master: Buffer): Settled {
  const { next } = header
  if (!next) {
    withDatabaseKey(master, (key) => undoJournal(files.database, key))
    return { master, finish: null }
  }
  const { old, fresh } = both(files.header, header, next, master)
  if (opens(files.database, fresh)) {
    old.fill(0)
    return { master: fresh, finish: () => keepNextMaster(files, header, next) }
  }
  try {
    // Throws the reason if the old one does not open it either.
    opened(files.database, old)
  } catch (error) {
    old.fill(0)
    fresh.fill(0)
    throw error
  }
  fresh.fill(0)
  return { master: old, finish: () => dropNextMaster(files, header, next) }
}

/** The new secret has opened the database: it replaces the old one, whose keychain entry is removed. */
export async function keepNextMaster(
  files: VaultFiles,
  header: Header,
  next: NextMaster,
  assertOpen: () => void = () => {},
): Promise<void> {
  // The entry first: only the old header records it.
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
    fs.rmSync(nextDatabase(files.database) + end, { force: true })
  }
  if (next.keychain) await removeFromKeychain(next.keychain)
  assertOpen()
  const { next: _, ...kept } = header
  writeHeader(files.header, kept)
}

function both(file: string, header: Header, next: NextMaster, master: Buffer) {
  const other = (wrapped: string, slot: Slot) => {
    const key = linkKey(master, header.vault_id)
    const found = unwrapMaster(wrapped, key, header.vault_id, slot)
    key.fill(0)
    if (found) return found
    throw new CofferError(
      'damaged',
      `${file} does not match the master secret. It was left as it is. Put back a copy of it, or restore a backup.`,
    )
  }
  if (isMaster(master, header.vault_id, header.check)) {
    return { old: master, fresh: other(next.under_old, 'next') }
  }
  return { old: other(next.old_under_new, 'previous'), fresh: master }
}

function opens(database: string, master: Buffer): boolean {
  try {
    opened(database, master)
    return true
  } catch {
    return false
  }
}

function opened(database: string, master: Buffer): void {
  withDatabaseKey(master, (key) => {
    undoJournal(database, key)
    openReadOnly(database, key).close()
  })
}

function withDatabaseKey(master: Buffer, use: (key: Buffer) => void): void {
  const key = databaseKey(master)
  try {
    use(key)
  } finally {
    key.fill(0)
  }
}

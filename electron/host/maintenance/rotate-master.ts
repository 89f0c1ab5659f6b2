import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { resolveDamageError, toCofferError, toStorageError } from '../../engine/index.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { type Header, type NextMaster, writeHeader } from '../files/header.ts'
import { createCancelledError, type JobWatch, runInBackground } from '../jobs/background.ts'
import { newKeychainEntry, storeInKeychain } from '../keys/keychain.ts'
import { computeCheck, deriveLinkKey, wrapMaster } from '../keys/master.ts'
import { type ProtectionOrKey, withPassphrase } from '../keys/protection.ts'
import { dropNextMaster, getNextDatabaseFile } from '../keys/recover-master.ts'
import { newRecoveryKey } from '../keys/recovery-key.ts'
import { type NewRecoveryKey, newRecoverySlot, nextRecoverySlot } from '../keys/recovery-slot.ts'
import type { OpenVault } from '../vault/vault.ts'
import { recoverHeader } from './recover-header.ts'

/** Extra space, in bytes, for the header and for SQLite's files next to the copy of the database. */
const SPARE_BYTES = 1024 * 1024

/**
 * Gives an open vault a new master secret, together with new database, index and cursor keys and a new recovery key,
 * `recovery_key`, which the owner has already seen. Rejects as `replaceMaster` does.
 */
export async function rotateMaster(
  vault: OpenVault,
  protection: ProtectionOrKey,
  watch: JobWatch = {},
  recovery_key: NewRecoveryKey = newRecoveryKey(),
  { fingerprints }: Pick<MasterChange, 'fingerprints'> = {},
): Promise<void> {
  const runReplace = () => replaceMaster(vault, { protection, recovery_key, fingerprints }, watch)
  await vault.runExclusive(() => vault.runRecorded('vault.rotateMaster', runReplace))
}

/** The protection under the next master secret. Without a recovery key, the current one stays valid. */
type MasterChange = {
  readonly protection: ProtectionOrKey
  readonly recovery_key?: NewRecoveryKey | undefined
  /** Whether to change the fingerprint key too. Fingerprints that programs have stored then match nothing. */
  readonly fingerprints?: boolean | undefined
}

/**
 * Copies the database of an open vault under a new master secret, protected as `change` says, so that no earlier header
 * opens it. The caller serializes this and records it. During the change, reads continue, but writes wait. Both
 * secrets are kept until the new one has opened the database: after a crash at any step, one of them opens it, and the
 * credentials of both work. Rejects with `cancelled`, `conflict` (another process is reading the vault), `locked`,
 * `invalid`, `unavailable`, `storage_full`. If it rejects, the old secret still applies.
 */
export async function replaceMaster(vault: OpenVault, change: MasterChange, watch: JobWatch): Promise<void> {
  const { files } = vault
  const header = await recoverHeader(vault)
  assertSpaceFor(files.database)
  const fresh = randomBytes(32)
  const next = await vault.withMaster((master) => createSlots(header, master, fresh, change))
  const { signal, onProgress } = vault.withLockAbort(watch)
  let swapped = false
  try {
    vault.assertOpen()
    // Record the keychain entry before writing it, so that a crash leaves no unrecorded one.
    writeHeader(files.header, { ...header, next })
    if (next.keychain) await storeInKeychain(next.keychain, fresh)
    if (signal?.aborted) throw createCancelledError()
    const target = getNextDatabaseFile(files.database)
    vault.engine.lifecycle.pauseWrites()
    const copy = {
      ...files,
      next: fresh,
      target,
      fingerprints: change.fingerprints ?? false,
      now: vault.engine.now(),
    }
    await vault.withMaster((master) =>
      runInBackground('copyUnderMaster', { ...copy, master }, { signal, onProgress }),
    )
    // The copy may have been finished when the job was cancelled, but the files are not swapped yet.
    if (signal?.aborted) throw createCancelledError()
    vault.changeMaster(fresh, () => {
      fs.renameSync(target, files.database)
      swapped = true
    })
  } catch (error) {
    // SECURITY: once the new file is in place, only the new secret opens it. After a lock, the next opening finishes
    // the change.
    if (!swapped && !vault.isLocked) {
      vault.engine.lifecycle.resumeWrites()
      await dropNextMaster(files, header, next)
    }
    throw await resolveDamageError(toCofferError(error), files.database)
  } finally {
    fresh.fill(0)
  }
  await finishChange(vault)
}

/** Throws `storage_full` if the copy would not fit, before anything is written. */
function assertSpaceFor(database: string): void {
  const { needed, free } = measureSpace(database)
  if (free >= needed) return
  throw new CofferError(
    'storage_full',
    `A new master secret needs a copy of the database: ${Math.ceil(needed / 1e6)} MB, but only ${Math.floor(free / 1e6)} MB are free. Free some space and try again. Nothing was changed.`,
  )
}

function measureSpace(database: string): { needed: number; free: number } {
  try {
    const { bavail, bsize } = fs.statfsSync(path.dirname(database))
    const sizes = [database, `${database}-wal`].map(
      (each) => fs.statSync(each, { throwIfNoEntry: false })?.size ?? 0,
    )
    return { needed: sizes.reduce((sum, each) => sum + each, SPARE_BYTES), free: bavail * bsize }
  } catch (error) {
    throw toStorageError(error, database)
  }
}

/**
 * Completes the change in the header and the keychain. A failure is recorded, and retried before the next change or at
 * the next opening. Until then, both secrets are kept.
 */
async function finishChange(vault: OpenVault): Promise<void> {
  try {
    // SECURITY: remove the old secret only once the new file is sure to survive a power cut.
    syncFolder(path.dirname(vault.files.database))
    await recoverHeader(vault)
  } catch (error) {
    vault.incidents.reportError(error, 'rotate master')
  }
}

async function createSlots(
  header: Header,
  master: Buffer,
  fresh: Buffer,
  { protection, recovery_key }: MasterChange,
): Promise<NextMaster> {
  const { vault_id } = header
  const recovery =
    recovery_key === undefined
      ? nextRecoverySlot(header.recovery, { from: master, to: fresh, vault_id })
      : newRecoverySlot(fresh, vault_id, recovery_key)
  if (!recovery) {
    throw createInvalidError(
      'recovery_key',
      'is required, because the current recovery key is from an older version of Coffer and cannot stay valid',
    )
  }
  const wrapLink = (secret: Buffer, under: Buffer, slot: 'next' | 'previous') => {
    const key = deriveLinkKey(under, vault_id)
    const wrapped = wrapMaster(secret, key, vault_id, slot)
    key.fill(0)
    return wrapped
  }
  const links = {
    check: computeCheck(fresh, vault_id),
    recovery,
    under_old: wrapLink(fresh, master, 'next'),
    old_under_new: wrapLink(master, fresh, 'previous'),
  }
  if ('keychain' in protection) {
    return { ...links, protection: 'keychain', keychain: newKeychainEntry() }
  }
  const { vault_id: _, ...slots } = await withPassphrase({ vault_id }, fresh, protection)
  return { ...links, ...slots }
}

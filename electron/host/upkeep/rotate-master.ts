import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { damageOrDisk, toCofferError } from '../../engine/db/storage-error.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { type Header, type NextMaster, writeHeader } from '../files/header.ts'
import { newEntry, storeInKeychain } from '../keys/keychain.ts'
import { checkOf, linkKey, wrapMaster } from '../keys/master.ts'
import { type Protection, withPassphrase } from '../keys/protection.ts'
import { newRecoverySlot } from '../keys/recovery-slot.ts'
import { dropNextMaster, nextDatabase } from '../keys/settle-master.ts'
import type { OpenVault } from '../vault/vault.ts'
import { cancelled, inBackground, type Watch } from '../work/background.ts'
import { settledHeader } from './settled-header.ts'

/**
 * Gives an open vault a new master secret, and with it new database, index and cursor keys and a new recovery key, to
 * be shown once.
 * Reads continue meanwhile; writes wait. Both secrets are kept until the new one has opened the database: after a
 * crash at any step, one of them opens it, and the credentials of both work. Rejects with `cancelled`, `conflict`
 * (another process is reading the vault), `locked`, `invalid`, `unavailable`, `storage_full`; then the old secret
 * still applies.
 */
export function rotateMaster(
  vault: OpenVault,
  protection: Protection,
  watch: Watch = {},
  renewed: Renewed = {},
): Promise<{ recovery_key: string }> {
  return vault.inTurn(() =>
    vault.recorded('vault.rotateMaster', () => rotate(vault, protection, watch, renewed)),
  )
}

type Renewed = {
  /** Also a new fingerprint key. Programs that remember fingerprints then find nothing by them. */
  readonly fingerprints?: boolean | undefined
}

async function rotate(
  vault: OpenVault,
  protection: Protection,
  watch: Watch,
  { fingerprints = false }: Renewed,
): Promise<{ recovery_key: string }> {
  const { files } = vault
  const header = await settledHeader(vault)
  const fresh = randomBytes(32)
  const { next, recovery_key } = await vault.withMaster((master) =>
    slotsOf(header, master, fresh, protection),
  )
  const { signal, onProgress } = vault.watched(watch)
  let swapped = false
  try {
    vault.assertOpen()
    // Record the keychain entry before writing it, so that a crash leaves no unknown one.
    writeHeader(files.header, { ...header, next })
    if (next.keychain) await storeInKeychain(next.keychain, fresh)
    if (signal?.aborted) throw cancelled()
    const target = nextDatabase(files.database)
    vault.engine.hold()
    const copy = { ...files, next: fresh, target, fingerprints, now: vault.engine.now() }
    await vault.withMaster((master) =>
      inBackground('copyUnderMaster', { ...copy, master }, { signal, onProgress }),
    )
    // The copy may have been finished at that moment; nothing is swapped yet.
    if (signal?.aborted) throw cancelled()
    vault.changeMaster(fresh, () => {
      fs.renameSync(target, files.database)
      swapped = true
    })
  } catch (error) {
    // SECURITY: once the new file is in place, only the new secret opens it. After a lock, the next opening settles
    // the change.
    if (!swapped && !vault.isLocked) {
      vault.engine.release()
      await dropNextMaster(files, header, next)
    }
    throw await damageOrDisk(toCofferError(error), files.database)
  } finally {
    fresh.fill(0)
  }
  await finish(vault)
  return { recovery_key }
}

/** A failure here is retried before the next change or at the next opening; until then both secrets are kept. */
async function finish(vault: OpenVault): Promise<void> {
  try {
    // SECURITY: remove the old secret only once the new file is sure to survive a power cut.
    syncFolder(path.dirname(vault.files.database))
    await settledHeader(vault)
  } catch (error) {
    vault.incidents.report(error, 'rotate master')
  }
}

async function slotsOf(
  header: Header,
  master: Buffer,
  fresh: Buffer,
  protection: Protection,
): Promise<{ next: NextMaster; recovery_key: string }> {
  const { vault_id } = header
  const { recovery_key, recovery } = newRecoverySlot(fresh, vault_id)
  const linked = (secret: Buffer, under: Buffer, slot: 'next' | 'previous') => {
    const key = linkKey(under, vault_id)
    const wrapped = wrapMaster(secret, key, vault_id, slot)
    key.fill(0)
    return wrapped
  }
  const links = {
    check: checkOf(fresh, vault_id),
    recovery,
    under_old: linked(fresh, master, 'next'),
    old_under_new: linked(master, fresh, 'previous'),
  }
  if ('keychain' in protection) {
    return { recovery_key, next: { ...links, protection: 'keychain', keychain: newEntry() } }
  }
  const { vault_id: _, ...slots } = await withPassphrase({ vault_id }, fresh, protection)
  return { recovery_key, next: { ...links, ...slots } }
}

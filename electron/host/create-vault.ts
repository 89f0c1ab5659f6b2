import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../shared/errors.ts'
import { isoTime } from '../../shared/time.ts'
import { storageError } from '../engine/db/storage-error.ts'
import { Engine, type EngineOptions } from '../engine/engine.ts'
import { syncFolder } from './atomic-write.ts'
import { prepareDataDirectory } from './data-dir.ts'
import { discardDraft, discardDrafts, draftFiles } from './drafts.ts'
import { removeStaleEphemerals } from './ephemeral.ts'
import { type Header, writeHeader } from './header.ts'
import { entryOf, storeInKeychain } from './keychain.ts'
import { checkOf, wrapMaster } from './master.ts'
import { ProcessLock } from './process-lock.ts'
import { type Protection, withPassphrase } from './protection.ts'
import { newRecoveryKey, parseRecoveryKey, recoveryWrappingKey } from './recovery-key.ts'
import { OpenVault } from './vault.ts'
import { vaultFiles } from './vault-files.ts'

export type CreateVaultInput = {
  readonly dataDir: string
  readonly name: string
  readonly protection: Protection
  readonly engine?: EngineOptions
}

/**
 * Makes a vault and opens it; `recovery_key` is to be shown once. All or nothing: it grows in a folder of its own and
 * takes its name when it is whole and its keychain entry was read back. Throws `conflict` (the name is taken, whatever
 * lies there), `invalid`, `unavailable`, `storage_full`.
 */
export async function createVault(
  input: CreateVaultInput,
): Promise<{ vault: OpenVault; recovery_key: string }> {
  const { dataDir, name } = input
  const files = vaultFiles(dataDir, name)
  prepareDataDirectory(dataDir)
  removeStaleEphemerals()
  const process_lock = ProcessLock.acquire(files.folder)
  const master = randomBytes(32)
  try {
    if (fs.existsSync(files.folder)) {
      throw new CofferError('conflict', `${files.folder} exists already. It was left as it is.`)
    }
    await discardDrafts(dataDir, name)
    const recovery_key = await buildDraft(input, master)
    const engine = finish(input, master)
    return { vault: new OpenVault({ name, files, engine, master, process_lock }), recovery_key }
  } catch (error) {
    master.fill(0)
    await discardDraft(draftFiles(dataDir, name))
    process_lock.release()
    throw storageError(error, files.folder)
  }
}

async function buildDraft(input: CreateVaultInput, master: Buffer): Promise<string> {
  const { name, protection } = input
  const draft = draftFiles(input.dataDir, name)
  const vault_id = randomUUID()
  const recovery_key = newRecoveryKey()
  const base = {
    format: 1 as const,
    vault_id,
    name,
    created_at: isoTime((input.engine?.now ?? Date.now)()),
    check: checkOf(master, vault_id),
    recovery: { wrapped: wrapUnderRecoveryKey(master, recovery_key, vault_id) },
  }
  const header: Header =
    'passphrase' in protection
      ? await withPassphrase(base, master, protection)
      : { ...base, protection: 'keychain', keychain: entryOf(vault_id) }
  fs.mkdirSync(draft.folder, { mode: 0o700 })
  // The header first: it names the keychain entry that a crash would leave behind.
  writeHeader(draft.header, header)
  if (header.keychain) await storeInKeychain(header.keychain, master)
  Engine.create(draft.database, master, { tenant_id: vault_id, name }, input.engine).close()
  syncFolder(draft.folder)
  return recovery_key
}

function wrapUnderRecoveryKey(master: Buffer, recovery_key: string, vault_id: string): string {
  const secret = parseRecoveryKey(recovery_key)
  const key = recoveryWrappingKey(secret, vault_id)
  const wrapped = wrapMaster(master, key, vault_id, 'recovery')
  secret.fill(0)
  key.fill(0)
  return wrapped
}

/** Gives the draft its name and opens it; where that fails, the name is free again. */
function finish({ dataDir, name, engine }: CreateVaultInput, master: Buffer): Engine {
  const draft = draftFiles(dataDir, name)
  const files = vaultFiles(dataDir, name)
  fs.renameSync(draft.folder, files.folder)
  try {
    syncFolder(path.dirname(files.folder))
    return Engine.open(files.database, master, engine)
  } catch (error) {
    fs.renameSync(files.folder, draft.folder)
    throw error
  }
}

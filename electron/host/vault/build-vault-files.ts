import fs from 'node:fs'
import path from 'node:path'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { Engine, type EngineOptions, toStorageError } from '../../engine/index.ts'
import { syncFolder } from '../files/atomic-write.ts'
import { prepareDataDirectory } from '../files/data-dir.ts'
import {
  getVaultFiles,
  isNewVaultName,
  type VaultFiles,
  vaultExists,
  vaultNameRule,
} from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import { getIncidents } from '../incidents/incidents.ts'
import { discardDraft, discardDrafts, listDraftFiles } from './drafts.ts'
import { removeStaleEphemerals } from './ephemeral.ts'
import { persistTotals } from './persist-totals.ts'
import { OpenVault } from './vault.ts'

export type VaultBuildInput = {
  readonly dataDir: string
  readonly name: string
  readonly engine?: EngineOptions
}

/**
 * Creates a vault from the files that `fill` puts into an empty folder, header first, and opens it. All or nothing: the
 * vault is built in a draft folder, which gets the vault's name once complete. Owns `master` from the start and wipes
 * it on failure. Throws `conflict` (the name is taken), `invalid` (not a valid name for a new vault) and what `fill`
 * throws.
 */
export async function buildVaultFiles(
  input: VaultBuildInput,
  master: Buffer,
  fill: (draft: VaultFiles, master: Buffer) => Promise<void>,
): Promise<OpenVault> {
  const { dataDir, name } = input
  let vaultLock: VaultLock | undefined
  try {
    if (!isNewVaultName(name)) throw createInvalidError('name', vaultNameRule)
    const files = getVaultFiles(dataDir, name)
    const draft = listDraftFiles(dataDir, name)
    prepareDataDirectory(dataDir)
    removeStaleEphemerals()
    vaultLock = VaultLock.acquire(files.folder)
    if (vaultExists(files)) {
      throw new CofferError('conflict', `${files.folder} already exists. It was not changed.`)
    }
    await discardDrafts(dataDir, name)
    fs.mkdirSync(draft.folder, { mode: 0o700 })
    await fill(draft, master)
    syncFolder(draft.folder)
    const engine = finishVault(input, master)
    const stopPersisting = persistTotals(() => vault, dataDir)
    const vault: OpenVault = new OpenVault({
      name,
      files,
      engine,
      master,
      vaultLock,
      afterwards: stopPersisting,
    })
    return vault
  } catch (error) {
    master.fill(0)
    try {
      if (vaultLock) await discardDraft(listDraftFiles(dataDir, name))
    } catch {
      // A draft that cannot be removed now is removed when the next vault is created.
    } finally {
      vaultLock?.release()
    }
    throw toStorageError(error, path.join(dataDir, name))
  }
}

/** Renames the draft to the vault's name and opens the vault. On failure the name is free again. */
function finishVault({ dataDir, name, engine }: VaultBuildInput, master: Buffer): Engine {
  const draft = listDraftFiles(dataDir, name)
  const files = getVaultFiles(dataDir, name)
  fs.renameSync(draft.folder, files.folder)
  try {
    syncFolder(path.dirname(files.folder))
    return Engine.open(files.database, master, {
      onIncident: getIncidents(dataDir).recordIncident,
      ...engine,
    })
  } catch (error) {
    fs.renameSync(files.folder, draft.folder)
    throw error
  }
}

import {
  createIndexCleanup,
  createLossError,
  Engine,
  type EngineOptions,
  findLoss,
  resolveDamageError,
  toStorageError,
} from '../../engine/index.ts'
import { newBackupFile } from '../backups/backup-folder.ts'
import { makeVerifiedBackup } from '../backups/verified-backup.ts'
import { type Header, readHeader } from '../files/header.ts'
import { getVaultFiles, requireExistingVault, type VaultFiles } from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import { getIncidents } from '../incidents/incidents.ts'
import { type CredentialOrMaster, unlockMaster } from '../keys/credential.ts'
import { readPersistedTotal } from '../keys/persisted-total.ts'
import { finishProtection } from '../keys/protection.ts'
import { recoverMaster } from '../keys/recover-master.ts'
import { acceptLoss } from './accept-loss.ts'
import { removeStaleEphemerals } from './ephemeral.ts'
import { persistTotals } from './persist-totals.ts'
import { OpenVault } from './vault.ts'

export type OpenVaultInput = {
  readonly dataDir: string
  readonly name: string
  readonly with: CredentialOrMaster
  readonly engine?: EngineOptions
  readonly accept_loss?: AcceptedLoss | undefined
}

/** The owner's consent to open the vault without acknowledged commits that are missing. */
export type AcceptedLoss = {
  /** The number of missing commits, exactly as in the error. */
  readonly commits: number
  /** Receives the folder that holds a copy of everything. */
  readonly onSetAside: (folder: string) => void
}

/**
 * Returns the owner's consent to lose this many commits, or undefined without a number. After the loss, a notice is
 * added that says where the copy of all files is.
 */
export function createAcceptedLoss(commits: number | undefined, notices: string[]): AcceptedLoss | undefined {
  if (commits === undefined) return undefined
  const lost =
    commits === 0
      ? 'no lost commits are known'
      : `${commits} ${commits === 1 ? 'commit is' : 'commits are'} lost`
  return {
    commits,
    onSetAside: (folder) =>
      notices.push(`The vault was opened, and ${lost}. A copy of everything is in ${folder}.`),
  }
}

/**
 * Opens an existing vault: `await using vault = await openVault(…)`. Never creates one in its place. Throws
 * `not_found`, `conflict` (open in another process, X-31), what `unlockMaster` throws, `damaged` (with the number of
 * missing commits, if any: ), `unprocessable` (from a newer Coffer), `unavailable`. If it throws, no byte of
 * the vault's folder has changed.
 */
export async function openVault(input: OpenVaultInput): Promise<OpenVault> {
  const { dataDir, name } = input
  const files = requireExistingVault(dataDir, name)
  removeStaleEphemerals()
  const vaultLock = VaultLock.acquire(files.folder)
  let master: Buffer | undefined
  let engine: Engine | undefined
  const tidy = createIndexCleanup(files.database)
  try {
    const header = readHeader(files.header)
    const recovered = recoverMaster(files, header, await unlockMaster(header, input.with))
    const unlockedMaster = recovered.master
    master = unlockedMaster
    const persistedTotal = await readVaultTotal(header, files)
    if (input.accept_loss) {
      const { commits, onSetAside } = input.accept_loss
      onSetAside(await acceptLoss({ files, master, kept: persistedTotal, commits, now: Date.now() }))
    }
    if (recovered.finish) {
      const { loss } = findLoss({ database: files.database, master, kept: persistedTotal })
      if (loss) throw createLossError(files.database, loss)
      await recovered.finish()
    }
    const now = input.engine?.now ?? Date.now
    let upgrade: string | undefined
    engine = Engine.open(files.database, unlockedMaster, {
      onIncident: getIncidents(dataDir).recordIncident,
      ...input.engine,
      persistedTotal,
      beforeMigrating(_db, from, to) {
        const backup = backUpBeforeMigrating(dataDir, name, unlockedMaster, now())
        upgrade = `The vault ${name} was migrated from format ${from} to ${to}. Its backup is ${backup}.`
      },
    })
    if (upgrade) engine.outcomes.recordMaintenance('vault.backup', 'vault')
    if (input.accept_loss) engine.outcomes.recordMaintenance('vault.accepted_loss', 'owner')
    await finishProtection(files.header)
    const stopPersisting = persistTotals(() => vault, dataDir)
    const vault: OpenVault = new OpenVault({
      name,
      files,
      engine,
      master: unlockedMaster,
      vaultLock,
      upgrade,
      afterwards: stopPersisting,
    })
    return vault
  } catch (error) {
    engine?.close()
    tidy()
    master?.fill(0)
    vaultLock.release()
    throw await resolveDamageError(toStorageError(error, files.database), files.database)
  }
}

async function readVaultTotal({ protection, keychain }: Header, { folder }: VaultFiles) {
  return protection === 'keychain' && keychain ? await readPersistedTotal(keychain, folder) : undefined
}

/**
 * Creates a verified backup of a vault before its database is migrated, and returns the file's path. Throws what
 * `makeVerifiedBackup` throws.
 */
export function backUpBeforeMigrating(dataDir: string, name: string, master: Buffer, now: number): string {
  const { database, header } = getVaultFiles(dataDir, name)
  const out = newBackupFile(dataDir, name, now)
  makeVerifiedBackup({ database, header, master, out, reason: 'before migrating', now })
  return out
}

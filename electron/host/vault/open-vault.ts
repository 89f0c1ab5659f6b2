import { damageOrDisk, storageError } from '../../engine/db/storage-error.ts'
import { Engine, type EngineOptions } from '../../engine/engine.ts'
import { findLoss, lossError } from '../../engine/files/find-loss.ts'
import { tidyAfterRefusal } from '../../engine/files/open-checked.ts'
import { backUpBeforeMigrating } from '../backups/before-migrating.ts'
import { Claim } from '../files/claim.ts'
import { type Header, readHeader } from '../files/header.ts'
import { existingVault, type VaultFiles } from '../files/vault-files.ts'
import { incidentsOf } from '../incidents/incidents.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import { readKeptTotal } from '../keys/kept-total.ts'
import { finishProtection } from '../keys/protection.ts'
import { settleMaster } from '../keys/settle-master.ts'
import { acceptLoss } from './accept-loss.ts'
import { removeStaleEphemerals } from './ephemeral.ts'
import { keepTotals } from './keep-totals.ts'
import { OpenVault } from './vault.ts'

export type OpenVaultInput = {
  readonly dataDir: string
  readonly name: string
  readonly with: Opener
  readonly engine?: EngineOptions
  readonly accept_loss?: AcceptedLoss | undefined
}

/** The owner's consent to go on without answered commits that are missing. */
export type AcceptedLoss = {
  /** Exactly as many as the refusal named. */
  readonly commits: number
  /** Receives the folder that holds a copy of everything. */
  readonly onPutAside: (folder: string) => void
}

/**
 * Opens an existing vault: `await using vault = await openVault(…)`. Nothing is ever created in its place. Throws
 * `not_found`, `conflict` (open in another process, X-31), what `masterOf` throws, `damaged` (with the number of
 * commits that are missing, if any are: ), `unprocessable` (from a newer Coffer), `unavailable`; then no
 * byte of the vault's folder has changed.
 */
export async function openVault(input: OpenVaultInput): Promise<OpenVault> {
  const { dataDir, name } = input
  const files = existingVault(dataDir, name)
  removeStaleEphemerals()
  const claim = Claim.take(files.folder)
  let master: Buffer | undefined
  let engine: Engine | undefined
  const tidy = tidyAfterRefusal(files.database)
  try {
    const header = readHeader(files.header)
    const settled = settleMaster(files, header, await masterOf(header, input.with))
    const found = settled.master
    master = found
    const kept = await keptTotalOf(header, files)
    if (input.accept_loss) {
      const { commits, onPutAside } = input.accept_loss
      onPutAside(await acceptLoss({ files, master, kept, commits, now: Date.now() }))
    }
    if (settled.finish) {
      const { loss } = findLoss({ database: files.database, master, kept })
      if (loss) throw lossError(files.database, loss)
      await settled.finish()
    }
    const now = input.engine?.now ?? Date.now
    let upgrade: string | undefined
    engine = Engine.open(files.database, found, {
      onIncident: incidentsOf(dataDir).keep,
      ...input.engine,
      kept,
      beforeMigrating(_db, from, to) {
        const backup = backUpBeforeMigrating(dataDir, name, found, now())
        upgrade = `The vault ${name} was changed from format ${from} to ${to}. Its backup is ${backup}.`
      },
    })
    if (upgrade) engine.recordUpkeep('vault.backup', 'vault')
    if (input.accept_loss) engine.recordUpkeep('vault.accepted_loss', 'owner')
    await finishProtection(files.header)
    const keep = keepTotals(() => vault, dataDir)
    const vault: OpenVault = new OpenVault({
      name,
      files,
      engine,
      master: found,
      claim,
      upgrade,
      afterwards: keep,
    })
    return vault
  } catch (error) {
    engine?.close()
    tidy()
    master?.fill(0)
    claim.release()
    throw await damageOrDisk(storageError(error, files.database), files.database)
  }
}

/** What the keychain remembers, where it protects the vault. */
async function keptTotalOf({ protection, keychain }: Header, { folder }: VaultFiles) {
  return protection === 'keychain' && keychain ? await readKeptTotal(keychain, folder) : undefined
}

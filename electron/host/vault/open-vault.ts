import { damageOrDisk, storageError } from '../../engine/db/storage-error.ts'
import { Engine, type EngineOptions } from '../../engine/engine.ts'
import { backUpBeforeMigrating } from '../backups/before-migrating.ts'
import { Claim } from '../files/claim.ts'
import { readHeader } from '../files/header.ts'
import { existingVault } from '../files/vault-files.ts'
import { incidentsOf } from '../incidents/incidents.ts'
import { masterOf, type Opener } from '../keys/credential.ts'
import { finishProtection } from '../keys/protection.ts'
import { settleMaster } from '../keys/settle-master.ts'
import { removeStaleEphemerals } from './ephemeral.ts'
import { OpenVault } from './vault.ts'

export type OpenVaultInput = {
  readonly dataDir: string
  readonly name: string
  readonly with: Opener
  readonly engine?: EngineOptions
}

/**
 * Opens an existing vault: `await using vault = await openVault(…)`. Nothing is ever created in its place. Throws
 * `not_found`, `conflict` (open in another process, X-31), what `masterOf` throws, `damaged`, `unprocessable` (from a
 * newer Coffer), `unavailable`.
 */
export async function openVault(input: OpenVaultInput): Promise<OpenVault> {
  const { dataDir, name } = input
  const files = existingVault(dataDir, name)
  removeStaleEphemerals()
  const claim = Claim.take(files.folder)
  let master: Buffer | undefined
  try {
    const header = readHeader(files.header)
    const found = await settleMaster(files, header, await masterOf(header, input.with))
    master = found
    await finishProtection(files.header)
    const now = input.engine?.now ?? Date.now
    let isBackedUp = false
    const engine = Engine.open(files.database, found, {
      onIncident: incidentsOf(dataDir).keep,
      ...input.engine,
      beforeMigrating() {
        backUpBeforeMigrating(dataDir, name, found, now())
        isBackedUp = true
      },
    })
    if (isBackedUp) engine.recordUpkeep('vault.backup', 'vault')
    return new OpenVault({ name, files, engine, master: found, claim })
  } catch (error) {
    master?.fill(0)
    claim.release()
    throw await damageOrDisk(storageError(error, files.database), files.database)
  }
}

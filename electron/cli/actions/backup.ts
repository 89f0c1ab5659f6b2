import path from 'node:path'
import { formatSize } from '../../../shared/format-size.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { backUpVaultFiles, type CreatedBackup } from '../../host/maintenance/back-up.ts'
import { setLostMessage } from '../terminal/broken-output.ts'
import { unlockLocation } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { findSession, runRemoteJob } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'

export async function backUp(options: {
  dataDir?: string
  vault: string
  out?: string
  json?: true
}): Promise<void> {
  if (options.out === '-') throw new UsageError('--out needs the name of a file.')
  const location = toVaultLocation(options)
  const file = options.out === undefined ? undefined : path.resolve(options.out)
  const backup = (await backUpInHost(location, file)) ?? (await backUpDirectly(location, file))
  setLostMessage(`The backup was created and verified: ${backup.file}`)
  if (options.json) return printLine(JSON.stringify(backup))
  printLine(`Backed up and verified: ${backup.file} (${formatSize(backup.bytes)})`)
}

/**
 * Asks the process in which the vault is open to create and record the backup. Returns undefined if the vault is not
 * open in any process, or if that process cannot be reached.
 */
async function backUpInHost(
  location: VaultLocation,
  file: string | undefined,
): Promise<CreatedBackup | undefined> {
  const session = await findSession(location).catch(() => null)
  if (!session) return undefined
  const order = { name: 'host.backup', job: 'backup', input: { file } } as const
  return (await withProgress('Backing up', (watch) => runRemoteJob(session, order, watch))) as CreatedBackup
}

async function backUpDirectly(location: VaultLocation, file: string | undefined): Promise<CreatedBackup> {
  using key = await unlockLocation(location)
  const order = { dataDir: location.dataDir, name: location.vault, with: key, file }
  return await withProgress('Backing up', (watch: JobWatch) => backUpVaultFiles(order, watch))
}

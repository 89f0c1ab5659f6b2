import { CofferError } from '../../../shared/errors.ts'
import { getVaultFiles, holdsVault, vaultExists } from '../../host/files/vault-files.ts'
import { formatVaultCommand } from '../hint.ts'
import { printSecrets } from '../terminal/banner.ts'
import { createVault } from '../terminal/open-vault.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function initVault(options: { dataDir?: string; vault: string; json?: true }): Promise<void> {
  const location = toVaultLocation(options)
  const files = getVaultFiles(location.dataDir, location.vault)
  if (vaultExists(files) && holdsVault(files.folder)) {
    throw new CofferError(
      'conflict',
      `The vault ${location.vault} already exists in ${location.dataDir}. Open it with: ${formatVaultCommand(location, 'serve')}`,
    )
  }
  const { keys, recovery_key, ...created } = await createVault(location, { memory: false })
  await using vault = created.vault
  const result = { tenant_id: vault.engine.tenant_id, created: true, keys, recovery_key }
  if (options.json) return printLine(JSON.stringify(result))
  printLine(`Created the vault ${vault.name} in ${vault.files.folder}`)
  printSecrets({ recovery_key, keys })
  printLine()
  printLine(`Next: ${formatVaultCommand(location, 'serve')}`)
}

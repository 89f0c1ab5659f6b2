import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { formatRestored, formatWorkingAgain } from '../../../shared/restore-counts.ts'
import { restoreCounts } from '../../../shared/schemas/restore-counts.ts'
import { readBackupHead } from '../../host/backups/backup-file.ts'
import { previewRestore, type RestorePreview } from '../../host/vault/restore-preview.ts'
import { restoreVault } from '../../host/vault/restore-vault.ts'
import { formatVaultCommand } from '../hint.ts'
import { setLostMessage } from '../terminal/broken-output.ts'
import { findKey } from '../terminal/find-key.ts'
import { readProtectionLike } from '../terminal/new-protection.ts'
import { withProgress } from '../terminal/progress.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function restoreBackup(fileArgument: string, options: RestoreCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  const { dataDir, vault: name } = location
  const file = path.resolve(fileArgument)
  const { header, made_at } = readBackupHead(file)
  using key = await findKey(header)
  const preview = await withProgress('Comparing', (watch) =>
    previewRestore({ dataDir, file, with: key, now: Date.now() }, watch),
  )
  await confirmRestore(preview, options.yes)
  const protection = await readProtectionLike(key.credential, name)
  await using vault = await withProgress('Restoring', (watch) =>
    restoreVault({ file, dataDir, name, with: key, protection }, watch),
  )
  const protectionKind = 'passphrase' in protection ? 'passphrase' : 'keychain'
  const result = {
    name,
    tenant_id: vault.engine.tenant_id,
    made_at,
    protection: protectionKind,
    brings_back: preview && restoreCounts.parse(preview),
  }
  setLostMessage(`The vault ${name} was restored.`)
  if (options.json) return printLine(JSON.stringify(result))
  printLine(
    `The vault ${name} was restored to its state at ${made_at}. It is protected by the ${protectionKind}.`,
  )
  printLine(`Next: ${formatVaultCommand(location, 'serve')}`)
}

export type RestoreCommandOptions = { dataDir?: string; vault: string; yes?: true; json?: true }

/**
 * Prints the deleted data that a restore would bring back. Throws `forbidden` if there is any and the owner does not
 * confirm.
 */
async function confirmRestore(preview: RestorePreview | null, yes: true | undefined): Promise<void> {
  if (!preview) {
    printHint('Everything deleted since the backup comes back, and deleted application keys work again.')
    return
  }
  const restored = formatRestored(preview)
  if (restored === '') return
  printHint(
    `Restoring this backup brings back what has since been deleted from the vault ${preview.vault}: ${restored}.${formatWorkingAgain(preview)}`,
  )
  if (yes) return
  const answer = hasTerminal() ? await askLine('Restore it? Type yes: ') : undefined
  if (answer === 'yes') return
  throw new CofferError(
    'forbidden',
    answer === undefined ? 'Nothing was restored. To restore it anyway, add --yes.' : 'Nothing was restored.',
  )
}

import { CofferError } from '../../../shared/errors.ts'
import { toCofferError } from '../../engine/index.ts'
import { newRecoveryKey } from '../../host/keys/recovery-key.ts'
import { printSafely } from '../terminal/broken-output.ts'
import { getCurrentProtection } from '../terminal/new-protection.ts'
import { withProgress } from '../terminal/progress.ts'
import { openVaultKeys } from '../terminal/vault-keys.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function createRecoveryKey(options: RecoveryKeyCommandOptions): Promise<void> {
  await using keys = await openVaultKeys(toVaultLocation(options))
  const protection = options.keepMaster ? 'keepMaster' : await getCurrentProtection(keys)
  const recovery_key = await showNewRecoveryKey({}, options.json)
  await withProgress('Changing the master secret', (watch) =>
    keys.changeKeys({ change: 'recovery key', recovery_key, protection }, watch),
  )
  if (options.json) return
  const before = options.keepMaster ? olderCopiesWarning : 'The old one opens only older backups.'
  printLine(`The new recovery key is now in effect. ${before}`)
}

export type RecoveryKeyCommandOptions = { dataDir?: string; vault: string; json?: true; keepMaster?: true }

/** The warning about `--keep-master`. */
export const olderCopiesWarning =
  'Whoever has an older copy of vault.json can still open the vault with the previous passphrase or recovery key.'

/**
 * Creates a recovery key and prints it. The caller makes it valid afterwards, so the old key stays valid if the command
 * is killed before that. With `json`, the printed line also contains `result`. Throws `unavailable` if the output
 * cannot be written.
 */
export async function showNewRecoveryKey(result: object, json: true | undefined): Promise<string> {
  const recovery_key = newRecoveryKey()
  const text = json
    ? JSON.stringify({ ...result, recovery_key })
    : [
        'New recovery key, shown only once. Keep it safe: it opens the vault on any machine.',
        `  ${recovery_key}`,
        'It replaces the old one when this command ends without an error.',
      ].join('\n')
  try {
    await printSafely(text)
  } catch (error) {
    const { code, message } = toCofferError(error)
    throw new CofferError(code, `${message} Nothing has changed: the old recovery key stays valid.`, {
      cause: error,
    })
  }
  return recovery_key
}

import path from 'node:path'
import { Command } from 'commander'
import { readBackupHead } from '../../host/backups/backup-file.ts'
import { restoreVault } from '../../host/vault/restore-vault.ts'
import { hintFor } from '../hint.ts'
import { placeOf, say, withPlace } from '../terminal/common.ts'
import { findKey } from '../terminal/find-key.ts'
import { protectionLike } from '../terminal/new-protection.ts'
import { withProgress } from '../terminal/progress.ts'

/** `coffer restore`: creates a new vault from a backup. */
export function restoreCommand(): Command {
  return withPlace(new Command('restore'))
    .argument('<file>', 'the backup')
    .description('Create a new vault from a backup; an existing vault is never touched')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer restore work.coffer-backup --vault work
  COFFER_PASSPHRASE=<recovery key> COFFER_NEW_PASSPHRASE=… coffer restore work.coffer-backup

COFFER_PASSPHRASE, or what you type, is the passphrase or recovery key the vault had when it was backed up.
The new vault is protected by what opened the backup. If that was a recovery key, the keychain protects it, or a
new passphrase (COFFER_NEW_PASSPHRASE). Its recovery key stays the same.`,
    )
    .action(async (typed: string, options: { dataDir?: string; vault: string; json?: true }) => {
      const place = placeOf(options)
      const { dataDir, vault: name } = place
      const file = path.resolve(typed)
      const { header, made_at } = readBackupHead(file)
      using key = await findKey(header)
      const protection = await protectionLike(key.credential, name)
      await using vault = await withProgress('Restoring', (watch) =>
        restoreVault({ file, dataDir, name, with: key, protection }, watch),
      )
      const kept = 'passphrase' in protection ? 'passphrase' : 'keychain'
      const facts = { name, tenant_id: vault.engine.tenant_id, made_at, protection: kept }
      if (options.json) return say(JSON.stringify(facts))
      say(`The vault ${name} was restored to its state at ${made_at}. It is protected by the ${kept}.`)
      say(`Next: ${hintFor(place, 'serve')}`)
    })
}

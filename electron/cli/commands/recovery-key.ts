import { Command } from 'commander'
import { renewRecoveryKey } from '../../host/upkeep/renew-recovery-key.ts'
import { placeOf, say, withPlace } from '../terminal/common.ts'
import { openExisting, whileStopped } from '../terminal/open-vault.ts'

/** Shows a recovery key, once. */
export function sayRecoveryKey(recovery_key: string): void {
  say('Recovery key, shown only once. Keep it safe: it opens the vault on any machine.')
  say(`  ${recovery_key}`)
}

/** `coffer recovery-key`: creates a new recovery key. */
export function recoveryKeyCommand(): Command {
  return withPlace(new Command('recovery-key'))
    .description('Create a new recovery key and show it; the old one no longer opens the vault')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer recovery-key --vault work

The old one still opens older backups.
${whileStopped}`,
    )
    .action(async (options: { dataDir?: string; vault: string; json?: true }) => {
      await using vault = await openExisting(placeOf(options))
      const { recovery_key } = await renewRecoveryKey(vault)
      if (options.json) return say(JSON.stringify({ recovery_key }))
      sayRecoveryKey(recovery_key)
    })
}

import { Argument, Command } from 'commander'
import type { Protection } from '../../host/keys/protection.ts'
import { changeProtection } from '../../host/upkeep/change-protection.ts'
import { type Place, placeOf, say, withPlace } from '../terminal/common.ts'
import { newPassphrase } from '../terminal/new-protection.ts'
import { openExisting, whileStopped } from '../terminal/open-vault.ts'

type Options = { dataDir?: string; vault: string; json?: true }

async function protect(place: Place, way: () => Promise<Protection>): Promise<void> {
  await using vault = await openExisting(place)
  await changeProtection(vault, await way())
}

const byPassphrase = async () => ({ passphrase: await newPassphrase() })

/** `coffer protect`: protects a vault with the keychain or with a passphrase. */
export function protectCommand(): Command {
  return withPlace(new Command('protect'))
    .addArgument(
      new Argument('<way>', 'what opens the vault from now on').choices(['keychain', 'passphrase']),
    )
    .description('Protect a vault with the keychain or with a passphrase')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer protect keychain
  COFFER_NEW_PASSPHRASE=… coffer protect passphrase --vault work

${whileStopped}`,
    )
    .action(async (way: 'keychain' | 'passphrase', options: Options) => {
      await protect(placeOf(options), way === 'keychain' ? async () => ({ keychain: true }) : byPassphrase)
      if (options.json) return say(JSON.stringify({ protection: way }))
      say(`The vault ${options.vault} is now protected by the ${way}. Its recovery key stays the same.`)
    })
}

/** `coffer passphrase`: changes the passphrase. */
export function passphraseCommand(): Command {
  return withPlace(new Command('passphrase'))
    .description('Change the passphrase of a vault')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer passphrase
  COFFER_PASSPHRASE=… COFFER_NEW_PASSPHRASE=… coffer passphrase --vault work

If you forget the passphrase, the recovery key opens the vault.
${whileStopped}`,
    )
    .action(async (options: Options) => {
      await protect(placeOf(options), byPassphrase)
      if (options.json) return say(JSON.stringify({ protection: 'passphrase' }))
      say('The passphrase was changed. The old one still opens older backups.')
    })
}

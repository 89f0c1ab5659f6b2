import { Argument, Command } from 'commander'
import type { ProtectCommandOptions } from '../actions/protect.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'
import { keepMasterHelp, whileStopped } from './about.ts'

const underNewMaster =
  'The vault is copied under a new master secret, so the previous credential opens only older backups.'

/** `coffer protect`: protects a vault with the keychain or with a passphrase. */
export function protectCommand(): Command {
  return withVaultOptions(new Command('protect'))
    .addArgument(
      new Argument('<way>', 'what opens the vault from now on').choices(['keychain', 'passphrase']),
    )
    .description('Protect a vault with the keychain or with a passphrase')
    .option('--keep-master', keepMasterHelp)
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer protect keychain
  COFFER_NEW_PASSPHRASE=… coffer protect passphrase --vault work

${underNewMaster}
${whileStopped}`,
    )
    .action(async (kind: 'keychain' | 'passphrase', options: ProtectCommandOptions) =>
      (await import('../actions/protect.ts')).protectVault(kind, options),
    )
}

/** `coffer passphrase`: changes the passphrase. */
export function passphraseCommand(): Command {
  return withVaultOptions(new Command('passphrase'))
    .description('Change the passphrase of a vault')
    .option('--keep-master', keepMasterHelp)
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer passphrase
  COFFER_PASSPHRASE=… COFFER_NEW_PASSPHRASE=… coffer passphrase --vault work

If you forget the passphrase, the recovery key opens the vault.
${underNewMaster}
${whileStopped}`,
    )
    .action(async (options: ProtectCommandOptions) =>
      (await import('../actions/protect.ts')).changePassphrase(options),
    )
}

import { Argument } from 'commander'
import type { ProtectCommandOptions } from '../actions/protect.ts'
import type { RecoveryKeyCommandOptions } from '../actions/recovery-key.ts'
import type { RotateCommandOptions } from '../actions/rotate.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { keepMasterHelp, whileOpen } from './about.ts'

const underNewMaster =
  'The vault is copied under a new master secret, so the previous credential opens only older backups.'

/** `coffer protect`: protects a vault with the keychain or with a passphrase. */
export function protectCommand(): CofferCommand {
  return new CofferCommand('protect')
    .withVault()
    .addArgument(
      new Argument('<way>', 'what opens the vault from now on').choices(['keychain', 'passphrase']),
    )
    .description('Protect a vault with the keychain or with a passphrase')
    .option('--keep-master', keepMasterHelp)
    .withJson()
    .withHelp(`Examples:
  coffer protect keychain
  COFFER_NEW_PASSPHRASE=… coffer protect passphrase --vault work

${underNewMaster}
${whileOpen}`)
    .action(async (kind: 'keychain' | 'passphrase', options: ProtectCommandOptions) =>
      (await import('../actions/protect.ts')).protectVault(kind, options),
    )
}

/** `coffer passphrase`: changes the passphrase. */
export function passphraseCommand(): CofferCommand {
  return new CofferCommand('passphrase')
    .withVault()
    .description('Change the passphrase of a vault')
    .option('--keep-master', keepMasterHelp)
    .withJson()
    .withHelp(`Examples:
  coffer passphrase
  COFFER_PASSPHRASE=… COFFER_NEW_PASSPHRASE=… coffer passphrase --vault work

If you forget the passphrase, the recovery key opens the vault.
${underNewMaster}
${whileOpen}`)
    .action(async (options: ProtectCommandOptions) =>
      (await import('../actions/protect.ts')).changePassphrase(options),
    )
}

/** `coffer recovery-key`: creates a new recovery key. */
export function recoveryKeyCommand(): CofferCommand {
  return new CofferCommand('recovery-key')
    .withVault()
    .description('Create a new recovery key and show it; the old one no longer opens the vault')
    .option('--keep-master', keepMasterHelp)
    .withJson()
    .withHelp(`Examples:
  coffer recovery-key --vault work

The vault is copied under a new master secret, so that the old key opens only older backups. A passphrase
stays the same, unless you open the vault with the recovery key: you then set a new one (COFFER_NEW_PASSPHRASE).
${whileOpen}`)
    .action(async (options: RecoveryKeyCommandOptions) =>
      (await import('../actions/recovery-key.ts')).createRecoveryKey(options),
    )
}

/** `coffer rotate`: rotates the keys of a vault. */
export function rotateCommand(): CofferCommand {
  return new CofferCommand('rotate')
    .description('Rotate the keys of a vault')
    .withHelp('Examples:\n  coffer rotate data\n  coffer rotate master\n  coffer rotate signing-key')
    .addCommand(dataCommand())
    .addCommand(masterCommand())
    .addCommand(signingKeyCommand())
}

function dataCommand(): CofferCommand {
  return new CofferCommand('data')
    .withVault()
    .description('Re-encrypt every value with a new data key')
    .withJson()
    .withHelp(`Examples:
  coffer rotate data

If it is interrupted, by Ctrl-C or a crash, nothing is lost. Run it again to finish.
${whileOpen}`)
    .action(async (options: RotateCommandOptions) =>
      (await import('../actions/rotate.ts')).rotateData(options),
    )
}

function masterCommand(): CofferCommand {
  return new CofferCommand('master')
    .withVault()
    .description('Create a new master secret, database key, index key and recovery key')
    .option('--renew-fingerprints', 'also create a new fingerprint key: every fingerprint changes')
    .withJson()
    .withHelp(`Examples:
  coffer rotate master

The keychain or passphrase of the vault stays the same. If you open it with the recovery key, the vault gets a new
passphrase (COFFER_NEW_PASSPHRASE). The old recovery key opens only older backups.

Existing cursors no longer work. Fingerprints stay the same, because programs may have stored them. Renew
fingerprints only if somebody may have both the vault's files and a way to open the vault. Stored fingerprints then no
longer match any token.
${whileOpen}`)
    .action(async (options: RotateCommandOptions & { renewFingerprints?: true }) =>
      (await import('../actions/rotate.ts')).rotateMasterSecret(options),
    )
}

function signingKeyCommand(): CofferCommand {
  return new CofferCommand('signing-key')
    .withVault()
    .description('Change the key that signs events for webhooks, in two steps')
    .option('--finish', 'sign with the new key from now on, and delete the old one')
    .withJson()
    .withHelp(`Examples:
  coffer rotate signing-key
  coffer rotate signing-key --finish

The first step publishes a new key next to the signing key, at /.well-known/webhooks.v1.key. Run the second step when
every program that verifies signatures has read that page again.
${whileOpen}`)
    .action(async (options: RotateCommandOptions & { finish?: true }) =>
      (await import('../actions/rotate.ts')).rotateSigningKeyStep(options),
    )
}

import { Command } from 'commander'
import type { RotateCommandOptions } from '../actions/rotate.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'
import { whileStopped } from './about.ts'

/** `coffer rotate`: rotates the keys of a vault. */
export function rotateCommand(): Command {
  return new Command('rotate')
    .description('Rotate the keys of a vault')
    .addHelpText(
      'after',
      '\nExamples:\n  coffer rotate data\n  coffer rotate master\n  coffer rotate signing-key',
    )
    .addCommand(dataCommand())
    .addCommand(masterCommand())
    .addCommand(signingKeyCommand())
}

function dataCommand(): Command {
  return withVaultOptions(new Command('data'))
    .description('Re-encrypt every value with a new data key')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate data

If it is interrupted, by Ctrl-C or a crash, nothing is lost. Run it again to finish.
The vault may be open in coffer serve or in the window.`,
    )
    .action(async (options: RotateCommandOptions) =>
      (await import('../actions/rotate.ts')).rotateData(options),
    )
}

function masterCommand(): Command {
  return withVaultOptions(new Command('master'))
    .description('Create a new master secret, database key, index key and recovery key')
    .option('--renew-fingerprints', 'also create a new fingerprint key: every fingerprint changes')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate master

The keychain or passphrase of the vault stays the same. If you open it with the recovery key, the vault gets a new
passphrase (COFFER_NEW_PASSPHRASE). The old recovery key opens only older backups.

Existing cursors no longer work. Fingerprints stay the same, because programs may have stored them. Renew
fingerprints only if somebody may have both the vault's files and a way to open the vault. Stored fingerprints then no
longer match any token.
${whileStopped}`,
    )
    .action(async (options: RotateCommandOptions & { renewFingerprints?: true }) =>
      (await import('../actions/rotate.ts')).rotateMasterSecret(options),
    )
}

function signingKeyCommand(): Command {
  return withVaultOptions(new Command('signing-key'))
    .description('Change the key that signs events for webhooks, in two steps')
    .option('--finish', 'sign with the new key from now on, and delete the old one')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate signing-key
  coffer rotate signing-key --finish

The first step publishes a new key next to the signing key, at /.well-known/webhooks.v1.key. Run the second step when
every program that verifies signatures has read that page again.
The vault may be open in coffer serve or in the window.`,
    )
    .action(async (options: RotateCommandOptions & { finish?: true }) =>
      (await import('../actions/rotate.ts')).rotateSigningKeyStep(options),
    )
}

import { Command } from 'commander'

/** `coffer verify`: checks that a backup is intact. */
export function verifyCommand(): Command {
  return new Command('verify')
    .argument('<file>', 'the backup')
    .description('Verify the checksum of a backup, and with --open its database')
    .option(
      '--open',
      'open its database with the passphrase, recovery key or keychain, and check every page and the log',
    )
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer verify work.coffer-backup                     needs no key
  COFFER_PASSPHRASE=… coffer verify work.coffer-backup --open

If the backup is damaged, the exit code is 1.`,
    )
    .action(async (file: string, options: { open?: true; json?: true }) =>
      (await import('../actions/verify.ts')).verifyFile(file, options),
    )
}

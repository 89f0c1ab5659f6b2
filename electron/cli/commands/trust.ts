import type { TrustCommandOptions } from '../actions/trust.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { createMapOption } from '../terminal/serve-options.ts'

/** `coffer trust`: a lasting authority for the names of the hosted service. */
export function trustCommand(): CofferCommand {
  return new CofferCommand('trust')
    .withDataDir()
    .withVerbose()
    .description('Create an authority that your browser trusts, for serve --as-hosted; or remove it')
    .addOption(
      createMapOption(
        'an origin that serve --as-hosted maps; the authority is also for its name; repeatable',
      ),
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--print', 'only print what would be done')
    .option('--remove', 'destroy the authority, and take its certificate out of every store it was added to')
    .option('--status', 'print its names, its fingerprint, when it expires, and where it is trusted')
    .withJson()
    .withHelp(`Examples:
  coffer trust                  says what it will do, and asks
  coffer trust --print
  coffer trust --status --json
  coffer trust --remove
  coffer serve --as-hosted 443  uses the authority

Without it, each run of serve --as-hosted has an authority of its own in memory, which only programs that it starts
trust. You need a lasting one only for a browser of your own, or for programs that find Coffer by the hosts file.

The authority is for exactly the names that --as-hosted answers. Its certificate is added to stores of your user, never
of the system. Its key is sealed in the data folder by the keychain or by a passphrase (COFFER_PASSPHRASE).`)
    .action(async (options: TrustCommandOptions) => (await import('../actions/trust.ts')).runTrust(options))
}

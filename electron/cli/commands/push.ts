import { Command, Option } from 'commander'
import type { PushCommandOptions } from '../actions/push.ts'
import { withInMemory } from '../terminal/in-memory.ts'
import { withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer push`: copies the vault to another server with the same API. */
export function pushCommand(): Command {
  return withInMemory(withVaultOptions(new Command('push')))
    .description('Copy a vault to another server with the same API; if interrupted, run it again to resume')
    .requiredOption('--to <url>', 'base URL of the server')
    .addOption(
      new Option('--key <key>', "that server's private key, with permission to create tokens").env(
        'COFFER_PUSH_KEY',
      ),
    )
    .addOption(
      new Option(
        '--management-key <key>',
        "that server's management key; without it, only tokens and documents are copied",
      ).env('COFFER_PUSH_MANAGEMENT_KEY'),
    )
    .option('--state <file>', 'file that records the progress of the push; by default in the data folder')
    .option('--confirm <vault>', 'the name of the vault, to confirm without a prompt')
    .option('--dry-run', 'list what would be copied, and change nothing')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer push --to http://127.0.0.1:4748 --key key_local_pvt_…
  COFFER_PUSH_KEY=… coffer push --to https://api.example.com --confirm default

Tokens, documents, code and configuration are sent unencrypted (apart from TLS). With a management key,
applications, proxies, reactors, webhooks, the settings of the tenant and its security contact are copied too.
Application keys and client encryption keys cannot be copied: create new ones there. The server gives each proxy a new
key. Invitations are not copied, because the server might send them by email.
The server keeps what it already has: a token with the same id, an application with the same name, type, permissions
and rules, or a proxy, reactor or webhook with the same name.
Documents get new ids. --json lists them, and the --state file records them, so that the next push sends no document twice.
The vault may be open in coffer serve or in the window: then you are asked for its passphrase again.`,
    )
    .action(async (options: PushCommandOptions) => (await import('../actions/push.ts')).pushTokens(options))
}

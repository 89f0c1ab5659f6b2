import { type Command, Option } from 'commander'
import { defaultPort } from './common.ts'

/** The running Coffer to talk to, and the key to use. */
export type SandboxOptions = { readonly url: string; readonly key?: string }

/** Adds the options of every command that talks to a running Coffer. */
export function withSandbox(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'base URL of the running Coffer')
        .env('COFFER_BASE_URL')
        .default(`http://127.0.0.1:${defaultPort}`),
    )
    .addOption(
      new Option('--key <key>', 'management key; not needed for a vault in memory that you have started').env(
        'COFFER_MANAGEMENT_KEY',
      ),
    )
}

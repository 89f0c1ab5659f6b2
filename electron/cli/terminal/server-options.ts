import { type Command, Option } from 'commander'
import { DEFAULT_PORT } from './vault-options.ts'

/** The running Coffer to talk to, and the key to use. */
export type ServerOptions = { readonly url: string; readonly key?: string }

/** The options of a command that prints its result. */
export type PrintOptions = ServerOptions & { readonly json?: true }

/** The options of a command that discards the vault's content. */
export type DiscardOptions = PrintOptions & { readonly yes?: true }

/** Adds the options of every command that talks to a running Coffer. */
export function withServerOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'base URL of the running Coffer')
        .env('COFFER_BASE_URL')
        .default(`http://127.0.0.1:${DEFAULT_PORT}`),
    )
    .addOption(
      new Option(
        '--key <key>',
        'management key; not needed for an in-memory vault that you have started',
      ).env('COFFER_MANAGEMENT_KEY'),
    )
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one line of JSON for programs')
}

/** Adds the option that skips the confirmation. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation, even if neither --key nor --url is set')
}

import { Command, Option } from 'commander'
import type { EnvOptions } from '../actions/env.ts'
import { createPublishedPortOption } from '../terminal/published-port.ts'
import { DEFAULT_PORT, parsePort, withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer env`: prints a `.env` block that points programs at the vault. */
export function envCommand(): Command {
  return withVaultOptions(new Command('env'))
    .description('Print a .env block with the base URL, and the script tag for Elements')
    .addOption(
      new Option('--port <port>', 'port to print if the vault is not open; port of an in-memory vault')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(DEFAULT_PORT),
    )
    .addOption(createPublishedPortOption())
    .option('--ephemeral', 'print the variables of the running in-memory vault, with its keys')
    .option('--json', 'print the variables as one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer env >> .env
  coffer env --ephemeral --port 4748 > .env.test

An in-memory vault, started by coffer serve --ephemeral with the same data folder, is printed with its keys. Without
--ephemeral, it is printed only if --vault is not set, and either the vault on disk is not open or --port is the port of
the in-memory vault. On Windows, coffer env cannot find it: only the command that started it prints its keys.`,
    )
    .action(async (options: EnvOptions, command: Command) =>
      (await import('../actions/env.ts')).printEnv(options, command),
    )
}

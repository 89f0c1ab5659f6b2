import { Argument, Command, Option } from 'commander'
import { type ServeOptions, withServing } from '../terminal/serve-options.ts'
import { parsePort, withVaultOptions } from '../terminal/vault-options.ts'

/** `coffer run -- npm test`: runs a program with an in-memory vault, and exits with its exit code. */
export function runCommand(version: string): Command {
  return withServing(withVaultOptions(new Command('run')))
    .description('Run a program with an in-memory vault, and exit with its exit code')
    .addArgument(new Argument('<command...>', 'the program and its arguments, after --'))
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one').argParser(parsePort).default(0),
    )
    .addHelpText(
      'after',
      `
Examples:
  coffer run -- npm test
  coffer run --seed coffer.seed.yaml -- pytest -x
  coffer run -- sh -c 'echo $VAULT_URL'

The program gets the base URL as COFFER_BASE_URL and VAULT_URL, the private key as COFFER_API_KEY and VAULT_KEY, and
COFFER_PUBLIC_KEY and COFFER_MANAGEMENT_KEY. It starts once the vault is ready. If the vault cannot start, it does not
run. SIGTERM, SIGINT and SIGHUP are forwarded to it, and to its child processes unless standard input is a terminal. If
the program cannot be started, the exit code is 127.

A coffer.config.yaml in the working directory applies, except for its port. coffer serve --run takes a shell command
instead, and can use a vault on disk.`,
    )
    .action(async (run: string[], options: ServeOptions, command: Command) =>
      (await import('../actions/serve.ts')).runProgramWithVault(version, run, options, command),
    )
}

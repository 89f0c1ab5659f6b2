import { type Command, InvalidArgumentError, Option } from 'commander'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { createPublishedPortOption } from '../terminal/published-port.ts'
import { checkServing, findConfig, type ServeOptions, withServing } from '../terminal/serve-options.ts'
import { DEFAULT_PORT, parsePort, toVaultLocation } from '../terminal/vault-options.ts'

/** `coffer serve`: opens or creates the vault and serves it on localhost until stopped. */
export function serveCommand(version: string): CofferCommand {
  return withServing(new CofferCommand('serve').withVault())
    .description('Open the vault, or create it if there is none, and serve it on localhost')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(DEFAULT_PORT),
    )
    .addOption(createPublishedPortOption())
    .option('--ephemeral', 'use an in-memory vault, deleted when Coffer stops')
    .option('--keep', 'store the vault filled by --seed on disk, not in memory')
    .option('--console', 'print a link that opens the window in a browser', false)
    .option('--no-console', 'do not serve the window')
    .addOption(
      new Option(
        '--accept-loss <commits>',
        'open the vault although exactly this many commits are missing; a copy is made first',
      ).argParser(parseCommits),
    )
    .addOption(
      new Option(
        '--run <command>',
        'run a shell command with the vault in its environment, then exit with its exit code',
      ).conflicts(['json', 'untilInputEnds']),
    )
    .option(
      '--accept-clock',
      'confirm that the current date is right although the last use was long ago, and delete expired data',
    )
    .withJson()
    .option(
      '--until-input-ends',
      'stop when standard input ends, for example when the program that started Coffer is killed',
    )
    .addOption(
      new Option('--detach', 'return once the vault is served, and serve it until coffer stop').conflicts([
        'run',
        'untilInputEnds',
      ]),
    )
    .withHelp(`Examples:
  coffer serve                         the vault "default" on port ${DEFAULT_PORT}
  coffer serve --console               with the window in your browser, on the next port
  coffer serve --ephemeral --port 0    a throwaway vault on any free port
  coffer serve --seed coffer.seed.yaml --faults coffer.faults.yaml
  coffer serve --cors-origin http://localhost:3000
  coffer serve --allow-destination api.example.com --allow-destination '*.example.org'
  coffer serve --map-destination https://api.example.com=http://127.0.0.1:12111
  coffer serve --as-hosted
  coffer serve --reactors ./reactors
  coffer serve --ephemeral --detach    in the background, until coffer stop
  coffer serve --ephemeral --port 0 --run 'VAULT_URL=$COFFER_BASE_URL VAULT_KEY=$COFFER_API_KEY npm test'
  COFFER_PASSPHRASE=… coffer serve --json

The --run command gets COFFER_BASE_URL and, for a new vault, COFFER_API_KEY (private), COFFER_PUBLIC_KEY and
COFFER_MANAGEMENT_KEY. It starts once the vault is ready. If the vault cannot start, the command does not run.

At a terminal, one line is printed for each request, unless --json or --run is set. Use --log to change this. Each line
has the time, method, path, status, duration, key hint and trace id, and no data. With --run it goes to standard error.

A coffer.config.yaml in the working directory supplies options that are not set here. coffer config prints one to start
from.

The --faults file is a list of rules, such as: [{ name: busy, operations: [tokens.create], status: 503, count: 2 }]

Proxies call only this machine unless a destination is allowed or mapped. An address in a private network needs its own
entry, such as --allow-destination 10.0.0.7, even with --allow-destination '*'.

With --as-hosted, programs that have the service's addresses in their code reach Coffer at https://api.basistheory.com,
https://js.basistheory.com and the other names. Coffer prints how. Only programs that are told so find and trust it; the
certificates are new at each start, and nothing is added to the system's. Mapped https: destinations are answered too.
Pages of your web server need --cors-origin. A line for the hosts file needs --as-hosted 443.

Each NAME.js in the folder of --reactors is a reactor; a reactors.yml in it may name applications and configuration.

Port, origins, hosts, destinations and --reactors that are not set here come from the settings in the window.
With --detach, nothing asks for a passphrase: the keychain or COFFER_PASSPHRASE opens the vault.
Stop Coffer with Ctrl-C or coffer stop: the exit code is 0, and every acknowledged write is on disk.`)
    .action(async (options: ServeOptions, command: Command) => {
      checkServing(options)
      if (options.detach) return (await import('../actions/detach.ts')).serveDetached(options)
      const runAction = async () => (await import('../actions/serve.ts')).runServe(version, options, command)
      if (!opensVault(options)) return runAction()
      return (await import('../terminal/key-derivation.ts')).withKeyDerivation(
        toVaultLocation(options),
        runAction,
      )
    })
}

/**
 * Whether the options alone open a vault on disk. False if there is a configuration file, which has not been read yet.
 */
function opensVault({ ephemeral, seed, config }: ServeOptions): boolean {
  return !ephemeral && seed === undefined && findConfig(config) === undefined
}

function parseCommits(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must equal the number of missing commits in the error message.')
}

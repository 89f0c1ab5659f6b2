import { Argument, type Command, Option } from 'commander'
import { formatCommand } from '../hint.ts'
import { CofferCommand } from '../terminal/coffer-command.ts'
import { type ServeOptions, withServing } from '../terminal/serve-options.ts'
import type { DiscardOptions, PrintOptions } from '../terminal/server-options.ts'
import { parsePort, printLine } from '../terminal/vault-options.ts'

/** `coffer run -- npm test`: runs a program with an in-memory vault, and exits with its exit code. */
export function runCommand(version: string): CofferCommand {
  return withServing(new CofferCommand('run').withVault())
    .description('Run a program with an in-memory vault, and exit with its exit code')
    .addArgument(new Argument('<command...>', 'the program and its arguments, after --'))
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one').argParser(parsePort).default(0),
    )
    .withHelp(`Examples:
  coffer run -- npm test
  coffer run --seed coffer.seed.yaml -- pytest -x
  coffer run -- sh -c 'echo $VAULT_URL'
  coffer run --as-hosted --cors-origin http://localhost:3000 -- npm run dev

The program gets the base URL as COFFER_BASE_URL and VAULT_URL, the private key as COFFER_API_KEY and VAULT_KEY, and
COFFER_PUBLIC_KEY and COFFER_MANAGEMENT_KEY. It starts once the vault is ready. If the vault cannot start, it does not
run. SIGTERM, SIGINT and SIGHUP are forwarded to it, and to its child processes unless standard input is a terminal. If
the program cannot be started, the exit code is 127.

With --as-hosted, the program and its children reach Coffer at https://api.basistheory.com and the other names of the
service, so that nothing in it changes but its keys. HTTPS_PROXY then leads to Coffer, which refuses other hosts unless
--allow-destination names them. Mapped https: destinations are answered too.

A coffer.config.yaml in the working directory applies, except for its port. coffer serve --run takes a shell command
instead, and can use a vault on disk.`)
    .action(async (run: string[], options: ServeOptions, command: Command) =>
      (await import('../actions/serve.ts')).runProgramWithVault(version, run, options, command),
    )
}

/** `coffer reset`: returns a running in-memory vault to its initial state. */
export function resetCommand(): CofferCommand {
  return new CofferCommand('reset')
    .withServer()
    .withYes()
    .withJson()
    .description('Return a running in-memory vault to its seed, or to the state it started in')
    .withHelp(`Examples:
  coffer reset --key key_local_mgt_…
  COFFER_BASE_URL=http://127.0.0.1:5000 COFFER_MANAGEMENT_KEY=key_local_mgt_… coffer reset
  coffer reset --yes

If neither a key nor a URL is set, on the command line or in the environment (as coffer run does), the command asks for
confirmation, unless --yes is set.`)
    .action(async (options: DiscardOptions, command: Command) => {
      const { returnVault } = await import('../actions/return-vault.ts')
      await returnVault(options, command, {
        path: '/_coffer/reset',
        to: 'its seed, or to the state it started in',
      })
    })
}

/** `coffer snapshot`: saves the state of a running in-memory vault, and restores it. */
export function snapshotCommand(): CofferCommand {
  const snapshot = new CofferCommand('snapshot').description(
    'Save, restore and list snapshots of a running in-memory vault',
  )
  snapshot.withHelp('Examples:\n  coffer snapshot save paid\n  coffer snapshot restore paid')
  const createPrintCommand = (name: string) => new CofferCommand(name).withServer().withJson()
  const createNamedCommand = (name: string) =>
    createPrintCommand(name).argument('<name>', 'name of the snapshot')
  const getSnapshotPath = (name: string) => `/_coffer/snapshots/${encodeURIComponent(name)}`
  snapshot.addCommand(
    createNamedCommand('save')
      .description('Save the current state of the vault under a name')
      .withHelp('Examples:\n  coffer snapshot save paid')
      .action(async (name: string, { json, ...options }: PrintOptions) => {
        const { requestServer } = await import('../terminal/request-server.ts')
        await requestServer(options, 'PUT', getSnapshotPath(name))
        const { url } = options
        printLine(
          json
            ? JSON.stringify({ url, snapshot: name })
            : `Saved the in-memory vault at ${url} as the snapshot ${name}.`,
        )
      }),
  )
  snapshot.addCommand(
    createNamedCommand('restore')
      .withYes()
      .description('Return the vault to a snapshot; asks for confirmation like coffer reset')
      .withHelp('Examples:\n  coffer snapshot restore paid')
      .action(async (name: string, options: DiscardOptions, command: Command) => {
        const { returnVault } = await import('../actions/return-vault.ts')
        await returnVault(options, command, {
          path: `${getSnapshotPath(name)}/restore`,
          to: `the snapshot ${name}`,
          snapshot: name,
        })
      }),
  )
  snapshot.addCommand(
    createPrintCommand('list')
      .description('List the snapshots')
      .withHelp('Examples:\n  coffer snapshot list')
      .action(async ({ json, ...options }: PrintOptions) => {
        const { requestServer } = await import('../terminal/request-server.ts')
        const { data } = (await requestServer(options, 'GET', '/_coffer/snapshots')) as {
          data: { name: string; created_at: string }[]
        }
        if (json) return printLine(JSON.stringify(data))
        if (data.length === 0)
          return printLine(`No snapshots. Save one with: ${formatCommand('snapshot', 'save', '<name>')}`)
        const { createTable } = await import('../terminal/table.ts')
        createTable([{ head: 'CREATED' }, { head: 'NAME' }])(
          data.map(({ name, created_at }) => [created_at, name]),
        )
      }),
  )
  return snapshot
}

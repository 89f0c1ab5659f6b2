import { Command } from 'commander'
import { formatCommand } from '../hint.ts'
import {
  type DiscardOptions,
  type PrintOptions,
  withJson,
  withServerOptions,
  withYes,
} from '../terminal/server-options.ts'
import { printLine } from '../terminal/vault-options.ts'

/** `coffer snapshot`: saves the state of a running in-memory vault, and restores it. */
export function snapshotCommand(): Command {
  const snapshot = new Command('snapshot').description(
    'Save, restore and list snapshots of a running in-memory vault',
  )
  snapshot.addHelpText('after', '\nExamples:\n  coffer snapshot save paid\n  coffer snapshot restore paid')
  const createPrintCommand = (name: string) => withJson(withServerOptions(new Command(name)))
  const createNamedCommand = (name: string) =>
    createPrintCommand(name).argument('<name>', 'name of the snapshot')
  const getSnapshotPath = (name: string) => `/_coffer/snapshots/${encodeURIComponent(name)}`
  snapshot.addCommand(
    createNamedCommand('save')
      .description('Save the current state of the vault under a name')
      .addHelpText('after', '\nExamples:\n  coffer snapshot save paid')
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
    withYes(createNamedCommand('restore'))
      .description('Return the vault to a snapshot; asks for confirmation like coffer reset')
      .addHelpText('after', '\nExamples:\n  coffer snapshot restore paid')
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
      .addHelpText('after', '\nExamples:\n  coffer snapshot list')
      .action(async ({ json, ...options }: PrintOptions) => {
        const { requestServer } = await import('../terminal/request-server.ts')
        const { data } = (await requestServer(options, 'GET', '/_coffer/snapshots')) as {
          data: { name: string; created_at: string }[]
        }
        if (json) return printLine(JSON.stringify(data))
        if (data.length === 0)
          return printLine(`No snapshots. Save one with: ${formatCommand('snapshot', 'save', '<name>')}`)
        for (const { name, created_at } of data) printLine(`${created_at}  ${name}`)
      }),
  )
  return snapshot
}

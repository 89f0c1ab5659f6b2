import { Command } from 'commander'
import { hint } from '../hint.ts'
import { say } from '../terminal/common.ts'
import {
  type DiscardOptions,
  type PrintOptions,
  withJson,
  withSandbox,
  withYes,
} from '../terminal/sandbox.ts'

/** `coffer snapshot`: saves the state of a running in-memory vault, and restores it. */
export function snapshotCommand(): Command {
  const snapshot = new Command('snapshot').description(
    'Save, restore and list snapshots of a running in-memory vault',
  )
  snapshot.addHelpText('after', '\nExamples:\n  coffer snapshot save paid\n  coffer snapshot restore paid')
  const printing = (name: string) => withJson(withSandbox(new Command(name)))
  const named = (name: string) => printing(name).argument('<name>', 'name of the snapshot')
  const pathOf = (name: string) => `/_coffer/snapshots/${encodeURIComponent(name)}`
  snapshot.addCommand(
    named('save')
      .description('Save the current state of the vault under a name')
      .addHelpText('after', '\nExamples:\n  coffer snapshot save paid')
      .action(async (name: string, { json, ...options }: PrintOptions) => {
        const { askSandbox } = await import('../terminal/ask-sandbox.ts')
        await askSandbox(options, 'PUT', pathOf(name))
        const { url } = options
        say(
          json
            ? JSON.stringify({ url, snapshot: name })
            : `Saved the vault in memory at ${url} as the snapshot ${name}.`,
        )
      }),
  )
  snapshot.addCommand(
    withYes(named('restore'))
      .description('Return the vault to a snapshot; asks as coffer reset does')
      .addHelpText('after', '\nExamples:\n  coffer snapshot restore paid')
      .action(async (name: string, options: DiscardOptions, command: Command) => {
        const { returnVault } = await import('../actions/return-vault.ts')
        await returnVault(options, command, {
          path: `${pathOf(name)}/restore`,
          to: `the snapshot ${name}`,
          snapshot: name,
        })
      }),
  )
  snapshot.addCommand(
    printing('list')
      .description('List the snapshots')
      .addHelpText('after', '\nExamples:\n  coffer snapshot list')
      .action(async ({ json, ...options }: PrintOptions) => {
        const { askSandbox } = await import('../terminal/ask-sandbox.ts')
        const { data } = (await askSandbox(options, 'GET', '/_coffer/snapshots')) as {
          data: { name: string; created_at: string }[]
        }
        if (json) return say(JSON.stringify(data))
        if (data.length === 0)
          return say(`No snapshots. Save one with: ${hint('snapshot', 'save', '<name>')}`)
        for (const { name, created_at } of data) say(`${created_at}  ${name}`)
      }),
  )
  return snapshot
}

import path from 'node:path'
import { Command, Option } from 'commander'
import { type PushReport, pushVault } from '../../host/transfer/push-vault.ts'
import { counted, note, placeOf, say, withPlace } from '../terminal/common.ts'
import { confirmClear } from '../terminal/confirm-clear.ts'
import { openExisting } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { webAddress } from '../terminal/web-address.ts'

type Options = {
  dataDir?: string
  vault: string
  to: string
  key?: string
  managementKey?: string
  state?: string
  confirm?: string
  json?: true
}

const SHOWN = 20

const reasons = {
  other_destination: 'the server has one of this name with another destination.',
  no_application: 'its application is not there.',
}

/** `coffer push`: copies the vault to another server with the same interface. */
export function pushCommand(): Command {
  return withPlace(new Command('push'))
    .description(
      'Copy tokens, documents, applications and proxies to another server with the same interface; if interrupted, run it again to resume',
    )
    .requiredOption('--to <url>', 'base URL of the server')
    .addOption(
      new Option('--key <key>', "that server's private key, which may create tokens").env('COFFER_PUSH_KEY'),
    )
    .addOption(
      new Option(
        '--management-key <key>',
        "that server's key that may read and create applications and proxies; without it, only tokens and documents are copied",
      ).env('COFFER_PUSH_MANAGEMENT_KEY'),
    )
    .option('--state <file>', 'file that records the progress of the push; by default in the data folder')
    .option('--confirm <vault>', 'the name of the vault, to confirm without a prompt')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer push --to http://127.0.0.1:4748 --key key_local_pvt_…
  COFFER_PUSH_KEY=… coffer push --to https://api.example.com --confirm default

Tokens, documents and the configuration of proxies travel in plain text, protected only by the connection. Application keys cannot
be copied: create new ones there. The server gives each proxy a key of its own. Reactors and webhooks are not copied.
The server keeps what it already has: a token with the same id, an application with the same name, type, permissions
and rules, or a proxy with the same name.
Documents get new ids there, so pushing to the same server again makes them again.
The vault must not be open elsewhere.`,
    )
    .action(async (options: Options) => {
      const place = placeOf(options)
      const url = webAddress('--to', options.to)
      if (options.key === undefined) {
        throw new UsageError("Give the server's private key with --key or COFFER_PUSH_KEY.")
      }
      const { key, managementKey: management_key } = options
      const values =
        management_key === undefined
          ? 'Every value and document'
          : 'Every value and document, and the configuration of every proxy'
      await confirmClear(place.vault, options.confirm, `${values} will be sent to ${url} in plain text.`)
      const name = `push-${place.vault}-${new URL(url).host.replace(/[^\w.-]/g, '-')}.json`
      const state = path.resolve(options.state ?? path.join(place.dataDir, name))
      await using vault = await openExisting(place)
      const order = { url, key, management_key, state }
      tell(await withProgress('Copying', (watch) => pushVault(vault.engine, order, watch)), options.json)
    })
}

function tell(report: PushReport, json: true | undefined): void {
  const { refusals, left_out } = report
  const unasked = left_out.filter(({ why }) => why === 'no_management_key')
  const never = left_out.filter(({ why }) => why === 'never_copied')
  const failed = left_out.length - unasked.length - never.length
  if (report.refused > 0 || refusals.length > 0 || failed > 0) process.exitCode = 1
  if (json) {
    say(JSON.stringify(report))
    return
  }
  for (const { what, id, status } of refusals.slice(0, SHOWN)) note(`${what} ${id}: refused with ${status}`)
  if (refusals.length > SHOWN) note(`… and ${refusals.length - SHOWN} more. --json lists all of them.`)
  for (const { name, why } of left_out)
    if (why !== 'no_management_key' && why !== 'never_copied')
      note(`The proxy ${name} was not copied: ${reasons[why]}`)
  if (never.length > 0) {
    const of = (each: string) => never.filter(({ what }) => what === each).length
    note(
      `Not copied: ${counted(of('reactor'), 'reactor')} and ${counted(of('webhook'), 'webhook')}, which belong to this machine.`,
    )
  }
  if (unasked.length > 0) {
    const of = (each: string) => unasked.filter(({ what }) => what === each).length
    const both = [counted(of('application'), 'application'), counted(of('proxy'), 'proxy', 'proxies')]
    note(`Not copied: ${both.join(' and ')}. To copy them, add --management-key.`)
  }
  const { created, existing, refused, applications, applications_existing } = report
  const { proxies_created, proxies_existing, documents_created } = report
  const turnedDown = refusals.filter(({ what }) => what === 'application').length
  say(
    [
      `${counted(created, 'token')} created, ${existing} already there, ${refused} refused.`,
      `${counted(applications - applications_existing - turnedDown, 'application')} created, ${applications_existing} already there.`,
      `${counted(proxies_created, 'proxy', 'proxies')} created, ${proxies_existing} already there.`,
      `${counted(documents_created, 'document')} created.`,
    ].join(' '),
  )
}

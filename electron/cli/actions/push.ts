import path from 'node:path'
import { counted } from '../../../shared/counted.ts'
import { type PushReport, pushVault } from '../../host/transfer/push-vault.ts'
import type { Watch } from '../../host/work/background.ts'
import { note, placeOf, say } from '../terminal/common.ts'
import { confirmClear } from '../terminal/confirm-clear.ts'
import { type InMemory, nameOf } from '../terminal/in-memory.ts'
import { printable } from '../terminal/printable.ts'
import { withProgress } from '../terminal/progress.ts'
import { openOrJoin, shown } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { webAddress } from '../terminal/web-address.ts'

export async function push(options: Options): Promise<void> {
  const place = placeOf(options)
  const url = webAddress('--to', options.to)
  if (options.key === undefined) {
    throw new UsageError("Give the server's private key with --key or COFFER_PUSH_KEY.")
  }
  const { key, managementKey: management_key } = options
  const values =
    management_key === undefined
      ? 'Every value and document'
      : 'Every value and document, and the configuration of every proxy and reactor,'
  if (!options.dryRun)
    await confirmClear(
      nameOf(place, options),
      options.confirm,
      `${values} will be sent to ${url} in plain text.`,
    )
  const name = `push-${nameOf(place, options)}-${new URL(url).host.replace(/[^\w.-]/g, '-')}.json`
  const state = path.resolve(options.state ?? path.join(place.dataDir, name))
  await using vault = await openOrJoin(place, { ...options, clear: !options.dryRun })
  const order = { url, key, management_key, state, preview: options.dryRun === true }
  const run = (watch: Watch) => pushVault(vault.engine, order, watch)
  tell(await withProgress('Copying', (watch) => shown(vault, 'export', watch, run)), options.json)
}

export type Options = InMemory & {
  dataDir?: string
  vault: string
  to: string
  key?: string
  managementKey?: string
  state?: string
  confirm?: string
  dryRun?: true
  json?: true
}

const SHOWN = 20

const reasons = {
  other_destination: 'the server has one of this name with another destination',
  other_code: 'the server has one of this name with other code',
  other_url: 'the server has one of this name with another address',
  other_id_there: 'the server stores equal tokens once, and has this one under another id',
  no_application: 'its application is not there',
  disabled: 'it is disabled, and the server would enable it',
  unknown_there: 'the server does not have it',
  only_its_owner: 'only the owner of that server changes it',
  other_there: 'the server has another one',
}

function tell(report: PushReport, json: true | undefined): void {
  const { refusals, left_out } = report
  const failed = left_out.filter((each) => isFailure(each))
  if (report.refused > 0 || refusals.length > 0 || failed.length > 0) process.exitCode = 1
  if (json) {
    say(JSON.stringify(report))
    return
  }
  for (const { what, id, status } of refusals.slice(0, SHOWN)) note(`${what} ${id}: refused with ${status}`)
  for (const { what, name, why } of failed.slice(0, SHOWN))
    note(`Not copied: the ${what} ${printable(name)}, because ${reasons[why]}.`)
  const more = Math.max(0, refusals.length - SHOWN) + Math.max(0, failed.length - SHOWN)
  if (more > 0) note(`… and ${more} more. --json lists all of them.`)
  const keys = left_out.filter(({ why }) => why === 'private_key').length
  if (keys > 0)
    note(`Not copied: ${counted(keys, 'client encryption key')}, whose private half stays in the vault.`)
  const invitations = left_out.filter(({ why }) => why === 'would_be_mailed').length
  if (invitations > 0)
    note(`Not copied: ${counted(invitations, 'invitation')}, which the server might mail to somebody.`)
  const unasked = listOfKinds(left_out.filter(({ why }) => why === 'no_management_key'))
  if (unasked !== '') note(`Not copied: ${unasked}. To copy them, add --management-key.`)
  say(`${report.preview ? 'Nothing was sent. A push would do this: ' : ''}${sentencesOf(report)}`)
}

type LeftOut = PushReport['left_out'][number]

function isFailure(left: LeftOut): left is LeftOut & { why: keyof typeof reasons } {
  return left.why in reasons
}

function listOfKinds(left: readonly LeftOut[]): string {
  const of = (kind: LeftOut['what'], many?: string) => {
    const found = left.filter(({ what }) => what === kind).length
    return found > 0 ? [counted(found, kind, many)] : []
  }
  const kinds = [of('application'), of('proxy', 'proxies'), of('reactor'), of('webhook'), of('setting')]
  return kinds.flat().join(', ')
}

function sentencesOf(report: PushReport): string {
  const { preview, created, existing, refused, applications, applications_existing, refusals } = report
  const turnedDown = refusals.filter(({ what }) => what === 'application').length
  const both = (made: number, there: number, what: string, many?: string) =>
    `${counted(made, what, many)} created, ${there} already there.`
  return [
    preview
      ? `${counted(created, 'token')} to send, of which the server keeps those that it has.`
      : `${counted(created, 'token')} created, ${existing} already there, ${refused} refused.`,
    both(applications - applications_existing - turnedDown, applications_existing, 'application'),
    both(report.proxies_created, report.proxies_existing, 'proxy', 'proxies'),
    both(report.reactors_created, report.reactors_existing, 'reactor'),
    both(report.webhooks_created, report.webhooks_existing, 'webhook'),
    both(report.documents_created, report.documents_existing, 'document'),
    ...(report.settings.length > 0 ? [`Settings changed: ${report.settings.join(', ')}.`] : []),
  ].join(' ')
}

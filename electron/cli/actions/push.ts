import path from 'node:path'
import { entities, getPlural } from '../../../shared/entities.ts'
import { formatCount } from '../../../shared/format-count.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import {
  assertComparable,
  type ComparedCounts,
  writeDifferences,
} from '../../host/transfer/push-differences.ts'
import { managedEntities, managedPlurals } from '../../host/transfer/push-journal.ts'
import { type PushReport, pushVault } from '../../host/transfer/push-vault.ts'
import { confirmClear } from '../terminal/confirm-name.ts'
import { getVaultName, type InMemory } from '../terminal/in-memory.ts'
import { sanitizeText } from '../terminal/printable.ts'
import { withProgress } from '../terminal/progress.ts'
import { announceJob, openOrJoin } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'
import { parseWebAddress } from '../terminal/web-address.ts'

export async function pushTokens(options: PushCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  const url = parseWebAddress('--to', options.to)
  if (options.key === undefined) {
    throw new UsageError("Pass the server's private key with --key or COFFER_PUSH_KEY.")
  }
  const { key, managementKey: management_key } = options
  const values =
    management_key === undefined
      ? 'Every value and document'
      : 'Every value and document, and the configuration of every proxy and reactor,'
  if (!options.dryRun)
    await confirmClear(
      getVaultName(location, options),
      options.confirm,
      `${values} will be sent to ${url} in plain text.`,
    )
  const name = `push-${getVaultName(location, options)}-${new URL(url).host.replace(/[^\w.-]/g, '-')}.json`
  const state = path.resolve(options.state ?? path.join(location.dataDir, name))
  await using vault = await openOrJoin(location, { ...options, clear: !options.dryRun })
  const order = { url, key, management_key, state, preview: options.dryRun === true }
  const report = options.report === undefined ? undefined : path.resolve(options.report)
  if (report !== undefined) await assertComparable(report, { url, key })
  const runWork = <T>(label: string, work: (watch: JobWatch) => Promise<T>) =>
    withProgress(label, (watch) => announceJob(vault, 'export', watch, work), 'token')
  const pushed = await runWork('Copying', (watch) => pushVault(vault.engine, order, watch))
  const compared =
    report === undefined
      ? undefined
      : await runWork('Comparing', ({ signal, onProgress }) =>
          writeDifferences(
            vault.engine,
            { file: report, pushed },
            { url, key, signal, preview: order.preview },
            onProgress && { onProgress },
          ),
        )
  printReport({ ...pushed, ...(compared && { compared }) }, options)
}

export type PushCommandOptions = InMemory & {
  dataDir?: string
  vault: string
  to: string
  key?: string
  managementKey?: string
  state?: string
  report?: string
  confirm?: string
  dryRun?: true
  json?: true
}

const MAX_PRINTED_LINES = 20

const reasons = {
  other_destination: 'the server has one with this name and another destination',
  other_code: 'the server has one with this name and other code',
  other_details: 'the server has one with this name and other details',
  other_url: 'the server has one with this name and another URL',
  other_id_there: 'the server stores equal data only once, and has this token under another id',
  no_application: 'the server does not have its application',
  disabled: 'it is disabled, but the server would enable it',
  unknown_there: 'the server does not have it',
  only_its_owner: 'only the owner of that server may change it',
  other_there: 'the server has another one',
}

/** What is never copied, and why. */
const uncopiedKinds = [
  ['client_key', 'whose private key stays in the vault'],
  ['wallet_merchant', 'whose private key stays in the vault'],
  ['agent', 'whose enrollments are not copied'],
  ['enrollment', 'because the server verifies cardholders itself'],
] as const

function printReport(
  report: PushReport & { readonly compared?: ComparedCounts },
  { json, report: file }: Pick<PushCommandOptions, 'json' | 'report'>,
): void {
  const { refusals, left_out } = report
  const failed = left_out.filter((each) => isFailure(each))
  if (report.refused > 0 || refusals.length > 0 || failed.length > 0) process.exitCode = 1
  if (json) {
    printLine(JSON.stringify(report))
    return
  }
  for (const { what, id, status } of refusals.slice(0, MAX_PRINTED_LINES))
    printHint(`${what} ${id}: refused with ${status}`)
  for (const { what, name, why } of failed.slice(0, MAX_PRINTED_LINES))
    printHint(`Not copied: the ${what} ${sanitizeText(name)}, because ${reasons[why]}.`)
  const more =
    Math.max(0, refusals.length - MAX_PRINTED_LINES) + Math.max(0, failed.length - MAX_PRINTED_LINES)
  if (more > 0) printHint(`… and ${more} more. --json lists all of them.`)
  for (const [kind, reason] of uncopiedKinds) {
    const count = left_out.filter(({ what }) => what === kind).length
    const kinds = formatCount(count, entities[kind].name, getPlural(kind))
    if (count > 0) printHint(`Not copied: ${kinds}, ${reason}.`)
  }
  const made = left_out.filter(({ why }) => why === 'made_by_network').length
  if (made > 0)
    printHint(
      `Not copied: ${formatCount(made, 'network token')}. Create them on the server, whose networks make its own.`,
    )
  const invitations = left_out.filter(({ why }) => why === 'would_be_mailed').length
  if (invitations > 0)
    printHint(`Not copied: ${formatCount(invitations, 'invitation')}, which the server might send by email.`)
  const merchants = left_out.filter(({ why }) => why === 'services').length
  if (merchants > 0)
    printHint(
      `Not copied: the services of ${formatCount(merchants, 'merchant')}. Request them on the server.`,
    )
  const uncopied = formatKinds(left_out.filter(({ why }) => why === 'no_management_key'))
  if (uncopied !== '') printHint(`Not copied: ${uncopied}. To copy them, add --management-key.`)
  printLine(`${report.preview ? 'Nothing was sent. A push would do this: ' : ''}${formatReport(report)}`)
  if (report.compared) printLine(`${formatCompared(report.compared)} The report is in ${file}.`)
}

/** Formats how many tokens the server returns like the vault, and in which members the others differ. */
function formatCompared({ same, different, missing, unreadable, members }: ComparedCounts): string {
  const byMember = Object.entries(members).map(([member, count]) => `${member} ${count}`)
  return [
    `Compared: ${formatCount(same, 'token')} the same`,
    `${different} different${byMember.length > 0 ? ` (${byMember.join(', ')})` : ''}`,
    `${missing} missing${unreadable > 0 ? `, ${unreadable} that could not be read` : ''}.`,
  ].join(', ')
}

type SkippedItem = PushReport['left_out'][number]

function isFailure(left: SkippedItem): left is SkippedItem & { why: keyof typeof reasons } {
  return left.why in reasons
}

function formatKinds(left: readonly SkippedItem[]): string {
  return (['application', ...managedEntities, 'setting'] as const)
    .flatMap((kind) => {
      const count = left.filter(({ what }) => what === kind).length
      return count > 0 ? [formatCount(count, kind, kind === 'setting' ? undefined : getPlural(kind))] : []
    })
    .join(', ')
}

function formatReport(report: PushReport): string {
  const { preview, created, existing, refused, applications, applications_existing, refusals } = report
  const turnedDown = refusals.filter(({ what }) => what === 'application').length
  const formatCounts = (createdCount: number, existingCount: number, what: string, many?: string) =>
    `${formatCount(createdCount, what, many)} created, ${existingCount} already there.`
  return [
    preview
      ? `${formatCount(created, 'token')} to send; the server skips those it already has.`
      : `${formatCount(created, 'token')} created, ${existing} already there, ${refused} refused.`,
    formatCounts(applications - applications_existing - turnedDown, applications_existing, 'application'),
    ...managedEntities.map((each) => {
      const plural = managedPlurals[each]
      return formatCounts(
        report[`${plural}_created`],
        report[`${plural}_existing`],
        entities[each].name,
        plural,
      )
    }),
    formatCounts(report.documents_created, report.documents_existing, 'document'),
    ...(report.settings.length > 0 ? [`Settings changed: ${report.settings.join(', ')}.`] : []),
  ].join(' ')
}

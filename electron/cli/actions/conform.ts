import fs from 'node:fs'
import path from 'node:path'
import type { Destinations } from '../../../shared/destinations.ts'
import { CofferError } from '../../../shared/errors.ts'
import { formatCount } from '../../../shared/format-count.ts'
import type { ConformReport } from '../../../shared/schemas/conform.ts'
import { describeRequest } from '../../conform/check-statement.ts'
import { compareReports } from '../../conform/compare-reports.ts'
import { isLoopback } from '../../conform/conform-server.ts'
import { formatReportPage } from '../../conform/report-page.ts'
import { hasFailed } from '../../conform/report-parts.ts'
import { formatReportTemplate, formatReportText } from '../../conform/report-text.ts'
import { findSkipReason } from '../../conform/run-statements.ts'
import { selectStatements } from '../../conform/select-statements.ts'
import type { Statement } from '../../conform/statement.ts'
import { type CheckedServer, checkServer } from '../../host/conform/check-server.ts'
import { getDataDirectory, resolveFolder } from '../../host/files/data-dir.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { Outbound } from '../../outbound/outbound.ts'
import { sanitizeLines } from '../terminal/printable.ts'
import { withProgress } from '../terminal/progress.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'
import { parseWebAddress } from '../terminal/web-address.ts'

type RunOptions = {
  readonly dataDir?: string
  readonly only?: readonly string[]
  readonly report?: string
  readonly dryRun?: true
  readonly yes?: true
  readonly json?: true
}
export type ConformCommandOptions = RunOptions & {
  readonly url: string
  readonly key?: string
  readonly management?: string
}
export type CompareOptions = RunOptions & {
  readonly url: readonly string[]
  readonly key?: readonly string[]
  readonly management?: readonly string[]
}

type Areas = Readonly<Record<string, readonly Statement[]>>
type ServerKeys = Pick<CheckedServer, 'url' | 'keys'>

/** Every destination is allowed, because the owner has named the server. */
const anywhere: Destinations = { allow: ['*', '0.0.0.0/0', '::/0'], map: {} }

export async function checkConformance({
  url,
  key,
  management,
  ...options
}: ConformCommandOptions): Promise<void> {
  const statements = findStatements(options)
  if (options.dryRun) {
    printStatements(statements, management, options.json)
    return
  }
  const [report] = await checkServers([toServer(url, key, management)], statements, options)
  if (!report) return
  writeReport(report, options)
  if (hasFailed(report)) process.exitCode = 1
}

export async function compareServers(options: CompareOptions): Promise<void> {
  const { url: urls, key = [], management = [] } = options
  if (urls.length !== 2) throw new UsageError('Name two servers: set --url twice.')
  const statements = findStatements(options)
  if (options.dryRun) {
    printStatements(statements, management[0], options.json)
    return
  }
  const servers = urls.map((url, at) => toServer(url, key[at], management[at]))
  const [one, other] = await checkServers(servers, statements, options)
  if (!one || !other) return
  const report = compareReports(one, other)
  writeReport(report, options)
  const isDifferent = report.outcomes.some(({ result }) => result === 'differs' || result === 'unanswered')
  if (isDifferent) process.exitCode = 1
}

function findStatements({ only = [], report }: RunOptions): Areas {
  assertWritable(report)
  try {
    return selectStatements(only)
  } catch (error) {
    throw error instanceof CofferError ? new UsageError(error.message) : error
  }
}

/** Throws a usage error for a report that could not be written, because a run takes minutes. */
function assertWritable(file: string | undefined): void {
  if (file === undefined) return
  try {
    const exists = fs.existsSync(file)
    if (exists && !fs.statSync(file).isFile()) throw new Error('no file')
    fs.accessSync(exists ? file : path.dirname(file), fs.constants.W_OK)
  } catch {
    throw new UsageError(`--report: ${file} cannot be written. Name a file in a folder that exists.`)
  }
}

function toServer(url: string, key: string | undefined, management: string | undefined): ServerKeys {
  parseWebAddress('--url', url)
  if (key !== undefined) return { url, keys: { key, management } }
  throw new UsageError(`Pass a private key of ${url} with --key or COFFER_CONFORM_KEY.`)
}

/** Asks before it writes to another machine, and checks all servers at the same time. If one check fails, all end. */
async function checkServers(
  servers: readonly ServerKeys[],
  statements: Areas,
  options: RunOptions,
): Promise<ConformReport[]> {
  await confirmWriting(servers, options.yes)
  const dataDir = options.dataDir ? resolveFolder(options.dataDir) : getDataDirectory()
  const outbound = new Outbound({ destinations: () => anywhere, ownPorts: () => [] })
  const failed = new AbortController()
  const counts = servers.map(() => 0)
  const checkOne = async (server: ServerKeys, at: number, { signal, onProgress }: JobWatch) => {
    const watch = {
      signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal,
      onProgress(done: number, total: number) {
        counts[at] = done
        const all = counts.reduce((sum, each) => sum + each, 0)
        onProgress?.(all, total * servers.length)
      },
    }
    try {
      return await checkServer({ ...server, outbound, dataDir }, statements, watch)
    } catch (error) {
      failed.abort()
      throw error
    }
  }
  try {
    return await withProgress('Checking', async (watch) => {
      const results = await Promise.allSettled(servers.map((server, at) => checkOne(server, at, watch)))
      const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      // A check that was stopped because of another one is not the reason.
      const [first] = failures.toSorted((one, other) => Number(isCancelled(one)) - Number(isCancelled(other)))
      if (first !== undefined) throw first
      return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    })
  } finally {
    outbound.close()
  }
}

const isCancelled = (error: unknown) => error instanceof CofferError && error.code === 'cancelled'

async function confirmWriting(servers: readonly ServerKeys[], yes: true | undefined): Promise<void> {
  const remote = servers.filter(({ url }) => !isLoopback(url))
  if (yes || remote.length === 0) return
  const hosts = remote.map(({ url }) => new URL(url).host).join(' and ')
  printHint(
    `This creates applications, tokens and other test data on ${hosts}, and deletes them again. Use it with a test tenant only.`,
  )
  if (!hasTerminal())
    throw new CofferError('forbidden', 'Nothing was sent. To run this without a prompt, add --yes')
  if (/^y(es)?$/i.test(await askLine('Type yes to go on: '))) return
  throw new CofferError('cancelled', 'Nothing was sent.')
}

function printStatements(areas: Areas, management: string | undefined, json: true | undefined): void {
  if (json) {
    printLine(JSON.stringify(areas))
    return
  }
  let requests = 0
  let skipped = 0
  for (const [area, statements] of Object.entries(areas)) {
    printLine(area)
    for (const statement of statements) {
      const reason = findSkipReason(statement, { management }, null)
      printLine(`  ${statement.rule}  ${statement.says}. (${statement.source})`)
      if (reason === undefined) requests += statement.steps.length
      else skipped++
      const lines =
        reason === undefined ? statement.steps.map(describeRequest) : [`skipped because ${reason}`]
      for (const line of lines) printLine(`        ${line}`)
    }
  }
  printLine(
    `Nothing was sent. A run would send at least ${formatCount(requests, 'request')}, and skip ${formatCount(skipped, 'statement')}.`,
  )
}

function writeReport(report: ConformReport, { report: file, json }: RunOptions): void {
  // SECURITY: a server chooses parts of the report.
  printLine(json ? JSON.stringify(report) : sanitizeLines(formatReportText(report)))
  if (file === undefined) return
  fs.writeFileSync(file, formatReport(report, path.extname(file)))
  printHint(`The report is in ${file}.`)
}

function formatReport(report: ConformReport, extension: string): string {
  if (extension === '.html') return formatReportPage(report)
  if (extension === '.json') return `${JSON.stringify(report, null, 2)}\n`
  return extension === '.md' ? formatReportTemplate(report) : `${formatReportText(report)}\n`
}

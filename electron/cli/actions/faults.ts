import { CofferError } from '../../../shared/errors.ts'
import { type FaultReport, faultReport, type NewFaultRule } from '../../../shared/schemas/fault.ts'
import { toCofferError } from '../../engine/index.ts'
import { readFaults } from '../terminal/read-faults.ts'
import { requestServer, requireParsed } from '../terminal/request-server.ts'
import type { PrintOptions } from '../terminal/server-options.ts'
import { createTable } from '../terminal/table.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printLine } from '../terminal/vault-options.ts'

export type SetFaultOptions = PrintOptions & {
  readonly operation?: string[]
  readonly status?: number
  readonly retryAfter?: number
  readonly delay?: number
  readonly cut?: true
  readonly after?: true
  readonly count?: number
  readonly share?: number
  readonly file?: string
}

const PATH = '/_coffer/faults'

export async function setFault(name: string | undefined, options: SetFaultOptions): Promise<void> {
  const { file } = options
  if ((name === undefined) === (file === undefined))
    throw new UsageError('Name a fault, or name a file with --file.')
  const isFile = file !== undefined
  const body = isFile ? { rules: readFaults(file) } : toRule(name ?? '', options)
  const report = await requestServer(options, isFile ? 'PUT' : 'POST', PATH, body)
  printFaults(requireParsed(options, faultReport, report), options)
}

function toRule(name: string, options: SetFaultOptions): NewFaultRule {
  const {
    operation: operations,
    status,
    retryAfter: retry_after,
    delay: delay_ms,
    cut,
    after,
    count,
    share,
  } = options
  const values = { operations, status, retry_after, delay_ms, cut, count, share }
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  return { name, ...set, ...(after && { when: 'after' }) }
}

async function fetchFaults(options: PrintOptions): Promise<FaultReport> {
  return requireParsed(options, faultReport, await requestServer(options, 'GET', PATH))
}

export async function listFaults(options: PrintOptions): Promise<void> {
  printFaults(await fetchFaults(options), options)
}

export async function clearFaults(name: string | undefined, options: PrintOptions): Promise<void> {
  const path = name === undefined ? PATH : `${PATH}/${encodeURIComponent(name)}`
  try {
    await requestServer(options, 'DELETE', path)
  } catch (error) {
    if (name !== undefined && toCofferError(error).code === 'not_found')
      throw await createUnknownError(options, error)
    throw error
  }
  await listFaults(options)
}

/** Names the faults that exist, unless the vault has no faults at all. */
async function createUnknownError(options: PrintOptions, error: unknown): Promise<unknown> {
  const { rules } = await fetchFaults(options)
  const names =
    rules.length === 0 ? 'No faults are set.' : `Set: ${rules.map(({ name }) => name).join(', ')}.`
  return new CofferError('not_found', `${toCofferError(error).message} ${names}`)
}

function printFaults({ rules }: FaultReport, { json }: PrintOptions): void {
  if (json) printLine(JSON.stringify({ rules }))
  else if (rules.length === 0) printLine('No faults are set.')
  else printRows(rules.map(toRow))
}

const printRows = createTable([
  { head: 'NAME' },
  { head: 'HITS' },
  { head: 'OPERATIONS' },
  { head: 'EFFECT' },
])

function toRow(rule: FaultReport['rules'][number]): string[] {
  const { name, hits, count, operations } = rule
  const limit = count === undefined ? '' : ` of ${count}`
  return [name, `${hits}${limit}`, operations?.join(', ') ?? 'all', describeEffect(rule)]
}

function describeEffect({ delay_ms, status, cut, when, share }: FaultReport['rules'][number]): string {
  return [
    share === 1 ? '' : `${share * 100} % of calls`,
    delay_ms === undefined ? '' : `wait ${delay_ms} ms`,
    status === undefined ? '' : `respond with ${status}`,
    cut ? 'cut off' : '',
    when === 'after' ? 'after the call' : '',
  ]
    .filter(Boolean)
    .join(', ')
}

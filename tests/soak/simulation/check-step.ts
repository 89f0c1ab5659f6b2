import { catalogue } from '../../../electron/engine/index.ts'
import type { EntityChange } from '../../../shared/entity-changes.ts'
import { type ReportedChanges, type Row, type Rows, toReportedChanges } from '../../entity-rows.ts'
import { findAccessProblem, type KnownTokens } from './callers.ts'
import type { SimulatedCall, SimulatedVault, TimedChange } from './simulated-vault.ts'

/** What a vault changes by itself, at any time: deliveries, and what runs after an answer. */
const background =
  /^(delivery|webhook|exchange|reactor_run|account_updater_job updated|key_use|signing_key|log)\b/

/** What a step did, as the tables of the vault show it. */
export type StepTables = {
  readonly before: Rows
  readonly after: Rows
  readonly expected: ReportedChanges
  /** Whether the disk failed, so that calls may end with errors that say so. */
  readonly isFaulty: boolean
}

/** The errors of a disk that fails. Whether the write is stored is known only after some of them. */
const diskErrors: readonly string[] = ['storage_full', 'unavailable', 'internal', 'damaged']

export const isUnknown = ({ error, result }: SimulatedCall): boolean =>
  result === null && (error === null || diskErrors.includes(error.code))

/** Checks what a step did without an end of its process. */
export function checkStep(
  vault: SimulatedVault,
  { before, after, expected, isFaulty }: StepTables,
  known: KnownTokens,
): string[] {
  const reported = toReportedChanges(vault.changes.map(({ change }) => change))
  const problems = isFaulty ? [] : findUnreported(expected, reported)
  for (const call of vault.calls) {
    const operation = catalogue.get(call.name)
    const access = operation && findAccessProblem(call, operation, known)
    if (access) problems.push(`${describeCall(call)}: ${access}`)
    const code = call.error?.code
    if (!isFaulty && code !== undefined && diskErrors.includes(code))
      problems.push(`${describeCall(call)}: ${code} without a cause: ${call.error?.message}`)
  }
  const hasWritten = vault.calls.some(
    (call) => catalogue.get(call.name)?.effect === 'write' && (call.result || isUnknown(call)),
  )
  const changes = Object.keys(expected).filter((name) => !background.test(name))
  if (!hasWritten)
    problems.push(
      ...changes.filter((name) => !hasExpired(name, before, vault)).map((name) => `${name}, without a write`),
    )
  problems.push(...vault.calls.flatMap((call) => checkEffect(call, after, reported)))
  if (!isFaulty)
    for (const { where, class: error, code, stack } of vault.incidents)
      problems.push(`an incident in ${where}: ${error} ${code} ${stack[0]}`)
  return problems
}

/** Whether rows of a table that are gone, or that changed, may have expired. */
function hasExpired(name: string, before: Rows, { process }: SimulatedVault): boolean {
  const [table = '', kind] = name.split(' ')
  const rows = [...(before[table]?.values() ?? [])]
  const isOver = (row: Row) =>
    [row.expires_at, row.cvc_stored_at].some((time) => typeof time === 'number' && time <= process.wall)
  // The keys and sessions of an application that has expired end with it.
  return kind !== 'created' && (rows.some(isOver) || table === 'application_key' || table === 'session')
}

/** Finds changes that the tables show, and that the vault did not report. */
function findUnreported(expected: ReportedChanges, reported: ReportedChanges): string[] {
  return Object.entries(expected).flatMap(([name, ids]) => {
    const all = reported[name]
    if (all === 'unnamed' || (all === undefined && /^key_use/.test(name))) return []
    if (all === undefined) return [`${name} was not reported`]
    return ids === 'unnamed'
      ? []
      : ids.filter((id) => !all.includes(id)).map((id) => `${name} ${id} was not reported`)
  })
}

/** Checks that an answer and the tables agree about the entity of a call. */
function checkEffect(
  { name, result, input }: SimulatedCall,
  after: Rows,
  reported: ReportedChanges,
): string[] {
  const operation = catalogue.get(name)
  // A checkout itself is a draft: what it creates are its applications.
  const { server_id, id = null } = Object(result?.output) as { server_id?: unknown; id?: unknown }
  const created = name === 'checkouts.create' ? server_id : id
  if (!result || !operation || typeof created !== 'string' || !(operation.entity in after)) return []
  const rows = after[operation.entity]
  const isDeleted = reported[`${operation.entity} deleted`]
  if (/\.create$/.test(name) && !rows?.has(created) && isDeleted === undefined)
    return [`${name}: ${created} is not there`]
  const named = Object(input) as { id?: string }
  if (/\.remove$/.test(name) && rows?.has(named.id ?? '')) return [`${name}: ${named.id} is still there`]
  return []
}

type ProcessLeft = {
  readonly moment: number
  readonly changes: readonly TimedChange[]
  /** The rows that a disk may lose, because it did not confirm them. */
  readonly uncertain: ReadonlySet<string>
}

/** Checks what the end of a process has left: every answered change, and of each other change all or nothing. */
export function checkLeft(
  { before, after }: Pick<StepTables, 'before' | 'after'>,
  left: Rows,
  end: ProcessLeft,
): string[] {
  const tables = Object.keys(after).filter((name) => !background.test(name))
  return tables.flatMap((table) => {
    const all = [before[table], after[table], left[table]]
    const ids = new Set(all.flatMap((rows) => [...(rows?.keys() ?? [])]))
    return [...ids].flatMap((id) => {
      const [was = null, next = null, is = null] = all.map((rows) => formatShown(rows?.get(id)))
      if (is === next || end.uncertain.has(`${table} ${id}`) || mayDiffer(end, table, id, is === was))
        return []
      return [`${table} ${id} is ${cutText(is)}, it was ${cutText(was)} and became ${cutText(next)}`]
    })
  })
}

/** Whether a row may differ from what it became, because not all of its changes were answered. */
function mayDiffer({ moment, changes }: ProcessLeft, table: string, id: string, isOld: boolean): boolean {
  const about = changes.filter(({ change }) => isAbout(change, table, id))
  const isDurable = about.length > 0 && about.every((each) => each.moment <= moment)
  return !isDurable && (isOld || about.length > 1)
}

const isAbout = ({ entity, ids }: EntityChange, table: string, id: string) =>
  entity === table && (ids === 'unnamed' || ids.includes(id))

/** Formats a row without what is sealed, which a change of the data key seals again. */
export function formatShown(row: Row | undefined): string | null {
  if (!row) return null
  const { last_used_at: _, hint: __, waiting: ___, ...shown } = row
  return JSON.stringify(shown, (_name, value) => (isBytes(value) ? '' : value))
}

const isBytes = (value: unknown) =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'

const cutText = (text: string | null) => text?.slice(0, 160) ?? 'missing'

export const describeCall = ({ name, caller, result, error }: SimulatedCall): string =>
  `${name} by ${caller.name}: ${result?.status ?? error?.code ?? 'not answered'}`

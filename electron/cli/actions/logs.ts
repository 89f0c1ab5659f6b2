import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { OwnerLog } from '../../../shared/schemas/log.ts'
import { owner } from '../../engine/index.ts'
import { listAllApplications } from '../../host/all-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owner-client.ts'
import { findRunning, requireRunning } from '../terminal/access.ts'
import { findApplication } from '../terminal/choose-application.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { openExisting } from '../terminal/open-vault.ts'
import { createTable, getStatusColor } from '../terminal/table.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'
import { waitForStop } from '../terminal/wait-for-stop.ts'

export type LogsOptions = InMemory & {
  readonly dataDir?: string
  readonly vault: string
  readonly follow?: true
  readonly status?: string
  readonly app?: string
  readonly action?: string
  readonly since?: number
  readonly limit: number
  readonly json?: true
}

const POLL_INTERVAL_MS = 500
const PAGE_SIZE = 500

/** Prints the newest records of a log, oldest first, and with `follow` each new one. */
export async function printLogs(options: LogsOptions, command: Command): Promise<void> {
  const location = toVaultLocation(options)
  const isVaultNamed = command.getOptionValueSource('vault') !== 'default'
  // A vault that only this command has open gets no records to follow.
  const session = await (options.follow ? requireRunning : findRunning)(location, options, isVaultNamed)
  if (!session) {
    await using vault = await openExisting(location)
    await printNewest(vault.engine, options)
    return
  }
  try {
    await printNewest(session, options)
  } finally {
    session.close()
  }
}

async function printNewest(engine: OwnersEngine, options: LogsOptions): Promise<void> {
  const filter = await toFilter(engine, options)
  const show = options.json ? printJson : createPrinter(engine)
  const { data } = await engine.as(owner).logs.find({ ...filter, size: options.limit })
  await show(data.toReversed())
  if (!options.follow) return
  let isStopped = false
  const stopping = waitForStop().then(() => {
    isStopped = true
  })
  let last = Number(data[0]?.id ?? (await findNewest(engine)))
  while (!isStopped) {
    const added = await readAfter(engine, filter, last)
    await show(added)
    last = Number(added.at(-1)?.id ?? last)
    await Promise.race([stopping, delay(POLL_INTERVAL_MS, undefined, { ref: false })])
  }
}

type FindLogsInput = Parameters<ReturnType<OwnersEngine['as']>['logs']['find']>[0]

async function toFilter(
  engine: OwnersEngine,
  { status, app, action, since }: LogsOptions,
): Promise<NonNullable<FindLogsInput>> {
  return {
    ...(status !== undefined && { status }),
    ...(action !== undefined && { action }),
    ...(app !== undefined && { actor_id: (await findApplication(engine, app)).id }),
    ...(since !== undefined && { start_date: new Date(Date.now() - since).toISOString() }),
  }
}

async function findNewest(engine: OwnersEngine): Promise<string> {
  const { data } = await engine.as(owner).logs.find({ size: 1 })
  return data[0]?.id ?? '0'
}

/** Reads the records after one, oldest first. The ids of records ascend. */
async function readAfter(engine: OwnersEngine, filter: FindLogsInput, last: number): Promise<OwnerLog[]> {
  const added: OwnerLog[] = []
  let start: string | undefined
  do {
    const { data, pagination } = await engine
      .as(owner)
      .logs.find({ ...filter, size: PAGE_SIZE, ...(start !== undefined && { start }) })
    const newer = data.filter(({ id }) => Number(id) > last)
    added.push(...newer)
    start = newer.length < data.length ? undefined : pagination.next
  } while (start !== undefined)
  return added.toReversed()
}

async function printJson(records: readonly OwnerLog[]): Promise<void> {
  for (const each of records) printLine(JSON.stringify(each))
}

/** Returns a function that prints records as a table. It looks up the names of applications once. */
function createPrinter(engine: OwnersEngine): (records: readonly OwnerLog[]) => Promise<void> {
  const names = new Map<string, string>()
  const printRows = createTable([
    { head: 'TIME' },
    { head: 'STATUS', color: getStatusColor },
    { head: 'DURATION' },
    { head: 'CALLER' },
    { head: 'ACTION' },
    { head: 'REQUEST' },
  ])
  return async (records) => {
    const isUnknown = records.some(({ actor_id }) => actor_id !== undefined && !names.has(actor_id))
    if (isUnknown) for (const { id, name } of await listAllApplications(engine)) names.set(id, name)
    printRows(records.map((record) => toRow(record, names)))
  }
}

function toRow(record: OwnerLog, names: ReadonlyMap<string, string>): string[] {
  const { created_at, status, duration_ms, actor_id, actor_type, action, method, path, detail } = record
  const request = method === undefined ? '' : `${method} ${path ?? ''}`
  return [
    new Date(created_at).toLocaleString('sv'),
    String(status),
    `${Math.round(duration_ms)} ms`.padStart(8),
    (actor_id && names.get(actor_id)) ?? actor_type ?? 'unknown',
    action,
    [request, status >= 400 ? detail : undefined].filter(Boolean).join('  '),
  ]
}

import type { LogEntry } from '../../../shared/host/events.ts'
import { getReadClient, useViewAs } from '../../parts/access/view-as.ts'
import { createSpacedRunner } from '../../parts/connection/change-subscription.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { hasOverlap, mergeRecords, type RecordRun } from './merge-records.ts'
import { type RecordFilter, toLogQuery, toOwnerLogQuery } from './record.ts'

const PAGE_SIZE = 100
const MIN_LOADED_ROWS = 60
/** Reads at most this many pages when looking for new records. */
const MAX_NEW_RECORD_PAGES = 5
const HIGHLIGHT_MS = 2000
/** More new records than this are not highlighted, so that a flood does not flash the entire list. */
const MAX_HIGHLIGHTED = 8
const NEW_RECORDS_DELAY_MS = 500

type RecordListState = RecordRun & {
  /** The number of matching records; null if the vault did not count them. */
  readonly total: number | null
}

type RecordsState = RecordListState & {
  readonly filters: RecordFilter
  readonly loading: boolean
  readonly problem: unknown
  readonly paused: boolean
  /** The list as it will be when the user resumes it. */
  readonly waiting: RecordListState | null
  readonly fresh: ReadonlySet<string>
}

export const useRecords = createVaultStore<RecordsState>(() => ({
  rows: [],
  next: null,
  total: null,
  filters: { conditions: [], words: '' },
  loading: true,
  problem: null,
  paused: false,
  waiting: null,
  fresh: new Set(),
}))

const { getState, setState } = useRecords
/** Tracks the current filters, so that responses for earlier filters are dropped. */
const log = createRequestGuard()

async function readPage(filters: RecordFilter, start: string | null): Promise<RecordListState> {
  const page = { size: PAGE_SIZE, ...(start !== null && { start }) }
  // While viewing as an application, show only what its key would get.
  const { data, pagination } =
    useViewAs.getState().as === null
      ? await vault.logs.find({ ...toOwnerLogQuery(filters), ...page })
      : await getReadClient().logs.list({ ...toLogQuery(filters), ...page })
  return { rows: data, next: pagination.next ?? null, total: pagination.total_items ?? null }
}

/** Reads until `target` rows are loaded or no more exist, because a page of a search may have few matches. */
async function readUntilFull(isCurrent: () => boolean, target: number): Promise<void> {
  do {
    const { filters, next, rows } = getState()
    const page = await readPage(filters, next)
    if (!isCurrent()) return
    const known = new Set(getState().rows.map(({ id }) => id))
    setState({
      rows: [...getState().rows, ...page.rows.filter(({ id }) => !known.has(id))],
      next: page.next,
      ...(rows.length === 0 && next === null && { total: page.total }),
    })
  } while (getState().next !== null && getState().rows.length < target)
  setState({ loading: false })
}

async function runWithProblem(isCurrent: () => boolean, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

export async function showRecords(filters: RecordFilter): Promise<void> {
  const isCurrent = log.start()
  setState({ filters, rows: [], next: null, total: null, loading: true, problem: null, waiting: null })
  await runWithProblem(isCurrent, () => readUntilFull(isCurrent, MIN_LOADED_ROWS))
}

export async function loadMoreRecords(): Promise<void> {
  const { next, loading, rows } = getState()
  if (next === null || loading) return
  const isCurrent = log.join()
  setState({ loading: true })
  await runWithProblem(isCurrent, () => readUntilFull(isCurrent, rows.length + MIN_LOADED_ROWS))
}

const newRecordsRead = createSpacedRunner(readNewRecords, NEW_RECORDS_DELAY_MS)

/** Handles new records: asks the vault which ones match the filters, at most a few times per second. */
export function applyNewRecords(entries: readonly LogEntry[]): void {
  // Reading the log while viewing as an application adds a record, so reacting to that record would cause an
  // endless loop.
  const isOwn = ({ entity_type, actor_type }: LogEntry) => entity_type === 'log' && actor_type === 'owner'
  if (!entries.every(isOwn)) newRecordsRead.requestRun()
}

async function readNewRecords(): Promise<void> {
  const isCurrent = log.join()
  const { problem, loading, filters } = getState()
  if (problem !== null) return
  // A load is in progress; retry after it.
  if (loading) return newRecordsRead.requestRun()
  let top = await readPage(filters, null)
  const { total } = top
  for (let pages = 1; !hasOverlap(top, getState()) && pages < MAX_NEW_RECORD_PAGES; pages++) {
    const page = await readPage(filters, top.next)
    top = { ...page, rows: [...top.rows, ...page.rows] }
  }
  const { loading: reads, paused, rows } = getState()
  if (!isCurrent()) return
  if (reads) newRecordsRead.requestRun()
  else if (paused) setState({ waiting: { ...mergeRecords(top, getState()), total } })
  else applyRecords({ ...mergeRecords(top, getState()), total }, rows)
}

function applyRecords(list: RecordListState, before: RecordListState['rows']): void {
  const known = new Set(before.map(({ id }) => id))
  const ids = list.rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const marked = before.length > 0 && getState().fresh.size + ids.length <= MAX_HIGHLIGHTED ? ids : []
  setState({ ...list, waiting: null, fresh: new Set([...getState().fresh, ...marked]) })
  setTimeout(
    () => setState({ fresh: new Set([...getState().fresh].filter((id) => !marked.includes(id))) }),
    HIGHLIGHT_MS,
  )
}

/** The number of records that arrived while the list was paused; null if unknown. */
export function countWaiting({ rows, waiting }: Pick<RecordsState, 'rows' | 'waiting'>): number | null {
  if (!waiting) return 0
  const known = new Set(rows.map(({ id }) => id))
  const newRows = waiting.rows.filter(({ id }) => !known.has(id))
  return waiting.next !== null && newRows.length === waiting.rows.length ? null : newRows.length
}

/** Pauses the list, or resumes it and adds the records that arrived in the meantime. */
export function pauseRecords(paused: boolean): void {
  const { waiting, rows } = getState()
  setState({ paused })
  if (!paused && waiting) applyRecords({ ...mergeRecords(waiting, getState()), total: waiting.total }, rows)
}

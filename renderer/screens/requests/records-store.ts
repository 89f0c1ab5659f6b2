import type { LogEntry } from '../../../shared/host.ts'
import { reader, useLooking } from '../../parts/access/looking.ts'
import { spaced } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { merged, type Run, reaches } from './merge-records.ts'
import { logQueryOf, ownerQueryOf, type RecordFilters } from './record.ts'

const PAGE = 100
/** Keep reading until this many rows are loaded. */
const ENOUGH = 60
/** Read at most this many pages to find new records. */
const MOST_NEWS_PAGES = 5
const FRESH_MS = 2000
/** While more new records than this would be marked, none are: a flood must not light up the whole list. */
const MOST_FRESH = 8
const NEWS_MS = 250

type Shown = Run & {
  /** The vault's count; null if it did not count. */
  readonly total: number | null
}

type Records = Shown & {
  readonly filters: RecordFilters
  readonly loading: boolean
  readonly problem: unknown
  readonly paused: boolean
  /** The records to show when the list is resumed. */
  readonly waiting: Shown | null
  readonly fresh: ReadonlySet<string>
}

export const useRecords = vaultStore<Records>(() => ({
  rows: [],
  next: null,
  total: null,
  filters: { outcome: 'all' },
  loading: true,
  problem: null,
  paused: false,
  waiting: null,
  fresh: new Set(),
}))

const { getState, setState } = useRecords
/** Tracks the current filters, so that answers for other filters are dropped. */
const log = latest()

async function readPage(filters: RecordFilters, start: string | null): Promise<Shown> {
  const page = { size: PAGE, ...(start !== null && { start }) }
  // Looking as an application shows no more than its key would get.
  const { data, pagination } =
    useLooking.getState().as === null
      ? await vault.logs.find({ ...ownerQueryOf(filters), ...page })
      : await reader().logs.list({ ...logQueryOf(filters), ...page })
  return { rows: data, next: pagination.next ?? null, total: pagination.total_items ?? null }
}

/** Reads until `target` rows are loaded or none are left: a search may have to skip many records. */
async function readOn(isWanted: () => boolean, target: number): Promise<void> {
  do {
    const { filters, next, rows } = getState()
    const page = await readPage(filters, next)
    if (!isWanted()) return
    const known = new Set(getState().rows.map(({ id }) => id))
    setState({
      rows: [...getState().rows, ...page.rows.filter(({ id }) => !known.has(id))],
      next: page.next,
      ...(rows.length === 0 && next === null && { total: page.total }),
    })
  } while (getState().next !== null && getState().rows.length < target)
  setState({ loading: false })
}

async function attempt(isWanted: () => boolean, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (problem) {
    if (isWanted()) setState({ loading: false, problem })
  }
}

/** Shows the filtered log, starting at its newest record. */
export async function showRecords(filters: RecordFilters): Promise<void> {
  const isWanted = log.begin()
  setState({ filters, rows: [], next: null, total: null, loading: true, problem: null, waiting: null })
  await attempt(isWanted, () => readOn(isWanted, ENOUGH))
}

/** Loads older records. */
export async function moreRecords(): Promise<void> {
  const { next, loading, rows } = getState()
  if (next === null || loading) return
  const isWanted = log.join()
  setState({ loading: true })
  await attempt(isWanted, () => readOn(isWanted, rows.length + ENOUGH))
}

const newsReading = spaced(readNews, NEWS_MS)

/** Reacts to new records: asks the vault which match the filters, at most a few times a second. */
export function takeNews(news: readonly LogEntry[]): void {
  // Reading the log as an application is itself recorded, so following it would never end.
  const isOwn = ({ entity_type, actor_type }: LogEntry) => entity_type === 'log' && actor_type === 'owner'
  if (!news.every(isOwn)) newsReading.ask()
}

async function readNews(): Promise<void> {
  const isWanted = log.join()
  const { problem, loading, filters } = getState()
  if (problem !== null) return
  // A read is in progress: try again after it.
  if (loading) return newsReading.ask()
  let top = await readPage(filters, null)
  const { total } = top
  for (let pages = 1; !reaches(top, getState()) && pages < MOST_NEWS_PAGES; pages++) {
    const page = await readPage(filters, top.next)
    top = { ...page, rows: [...top.rows, ...page.rows] }
  }
  const { loading: reads, paused, rows } = getState()
  if (!isWanted()) return
  if (reads) newsReading.ask()
  else if (paused) setState({ waiting: { ...merged(top, getState()), total } })
  else show({ ...merged(top, getState()), total }, rows)
}

function show(shown: Shown, before: Shown['rows']): void {
  const known = new Set(before.map(({ id }) => id))
  const ids = shown.rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const marked = before.length > 0 && getState().fresh.size + ids.length <= MOST_FRESH ? ids : []
  setState({ ...shown, waiting: null, fresh: new Set([...getState().fresh, ...marked]) })
  setTimeout(
    () => setState({ fresh: new Set([...getState().fresh].filter((id) => !marked.includes(id))) }),
    FRESH_MS,
  )
}

/** The number of records that arrived while paused; null if unknown. */
export function countWaiting({ rows, waiting }: Pick<Records, 'rows' | 'waiting'>): number | null {
  if (!waiting) return 0
  const known = new Set(rows.map(({ id }) => id))
  const news = waiting.rows.filter(({ id }) => !known.has(id))
  return waiting.next !== null && news.length === waiting.rows.length ? null : news.length
}

/** Pauses the list, or resumes it with the records that arrived meanwhile. */
export function pauseRecords(paused: boolean): void {
  const { waiting, rows } = getState()
  setState({ paused })
  if (!paused && waiting) show({ ...merged(waiting, getState()), total: waiting.total }, rows)
}

import type { LogEntry } from '../../../shared/host.ts'
import { reader } from '../../parts/access/looking.ts'
import { spaced } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { merged, type Run, reaches } from './merge-records.ts'
import { logQueryOf, type RecordFilters } from './record.ts'

const PAGE = 100
/** So many rows should be there to look at before reading stops. */
const ENOUGH = 60
/** Older records than these are not read to find out what is new. */
const MOST_NEWS_PAGES = 5
const FRESH_MS = 2000
/** More than a few at once are not marked as new. */
const MOST_FRESH = 20
const NEWS_MS = 250

type Shown = Run & {
  /** As the vault counted them; null where it did not. */
  readonly total: number | null
}

type Records = Shown & {
  readonly filters: RecordFilters
  readonly loading: boolean
  readonly problem: unknown
  readonly paused: boolean
  /** What would be shown were it not paused. */
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
/** The log as it is filtered: answers about other filters are dropped. */
const log = latest()

async function readPage(filters: RecordFilters, start: string | null): Promise<Shown> {
  const { data, pagination } = await reader().logs.list({
    ...logQueryOf(filters),
    size: PAGE,
    ...(start !== null && { start }),
  })
  return { rows: data, next: pagination.next ?? null, total: pagination.total_items ?? null }
}

/** Reads until so many rows are there, or nothing is left: a search may have to pass over many records. */
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

/** Shows the log through filters, from its newest record on. */
export async function showRecords(filters: RecordFilters): Promise<void> {
  const isWanted = log.begin()
  setState({ filters, rows: [], next: null, total: null, loading: true, problem: null, waiting: null })
  await attempt(isWanted, () => readOn(isWanted, ENOUGH))
}

/** Reads older records. */
export async function moreRecords(): Promise<void> {
  const { next, loading, rows } = getState()
  if (next === null || loading) return
  const isWanted = log.join()
  setState({ loading: true })
  await attempt(isWanted, () => readOn(isWanted, rows.length + ENOUGH))
}

const newsReading = spaced(readNews, NEWS_MS)

/** Something was recorded: asks the vault what of it belongs here, a few times a second at most. */
export function takeNews(news: readonly LogEntry[]): void {
  // Looking at the log through a key is recorded too, and would never end.
  const isOwn = ({ entity_type, actor_type }: LogEntry) => entity_type === 'log' && actor_type === 'owner'
  if (!news.every(isOwn)) newsReading.ask()
}

async function readNews(): Promise<void> {
  const isWanted = log.join()
  const { problem, loading, filters } = getState()
  if (problem !== null) return
  // What is being read is not old yet.
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
  const marked = before.length > 0 && ids.length <= MOST_FRESH ? ids : []
  setState({ ...shown, waiting: null, fresh: new Set([...getState().fresh, ...marked]) })
  setTimeout(
    () => setState({ fresh: new Set([...getState().fresh].filter((id) => !marked.includes(id))) }),
    FRESH_MS,
  )
}

/** How many records came while the list stood still; null where that is not known. */
export function countWaiting({ rows, waiting }: Pick<Records, 'rows' | 'waiting'>): number | null {
  if (!waiting) return 0
  const known = new Set(rows.map(({ id }) => id))
  const news = waiting.rows.filter(({ id }) => !known.has(id))
  return waiting.next !== null && news.length === waiting.rows.length ? null : news.length
}

/** Stops the list where it is, or lets it go on with what came meanwhile. */
export function pauseRecords(paused: boolean): void {
  const { waiting, rows } = getState()
  setState({ paused })
  if (!paused && waiting) show({ ...merged(waiting, getState()), total: waiting.total }, rows)
}

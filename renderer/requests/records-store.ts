import { reader } from '../looking.ts'
import { vaultStore } from '../store.ts'
import { type LogRecord, passes, type RecordFilters, recordOf } from './record.ts'

const PAGE = 100
/** So many rows should be there to look at before reading stops, and so many pages at most for it. */
const ENOUGH = 60
const MOST_PAGES = 10
const FRESH_MS = 2000

type Records = {
  /** Newest first; all that was read, passed over by the filters or not. */
  readonly read: readonly LogRecord[]
  readonly rows: readonly LogRecord[]
  readonly filters: RecordFilters
  readonly next: string | null
  readonly loading: boolean
  readonly problem: unknown
  readonly paused: boolean
  /** What came while paused. */
  readonly waiting: readonly LogRecord[]
  readonly fresh: ReadonlySet<string>
}

export const useRecords = vaultStore<Records>(() => ({
  read: [],
  rows: [],
  filters: { outcome: 'all' },
  next: null,
  loading: true,
  problem: null,
  paused: false,
  waiting: [],
  fresh: new Set(),
}))

const { getState, setState } = useRecords
let round = 0

async function readPage({ kind, entity }: RecordFilters, start: string | null) {
  const { data, pagination } = await reader().logs.list({
    size: PAGE,
    ...(kind !== undefined && { entity_type: kind }),
    ...(entity !== undefined && { entity_id: entity }),
    ...(start !== null && { start }),
  })
  return { records: data.map(recordOf), next: pagination.next ?? null }
}

async function readOn(mine: number, target: number): Promise<void> {
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { filters, next } = getState()
    if (pages > 0 && (next === null || getState().rows.length >= target)) break
    const page = await readPage(filters, next)
    if (mine !== round) return
    const { read, rows } = getState()
    const known = new Set(read.map(({ id }) => id))
    const records = page.records.filter(({ id }) => !known.has(id))
    setState({
      read: [...read, ...records],
      rows: [...rows, ...records.filter((record) => passes(record, filters))],
      next: page.next,
    })
  }
  setState({ loading: false })
}

async function attempt(mine: number, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (problem) {
    if (mine === round) setState({ loading: false, problem })
  }
}

/** Shows the log through filters, from its newest record on. */
export async function showRecords(filters: RecordFilters): Promise<void> {
  const mine = ++round
  setState({ filters, read: [], rows: [], next: null, loading: true, problem: null, waiting: [] })
  await attempt(mine, () => readOn(mine, ENOUGH))
}

/** Reads older records. */
export async function moreRecords(): Promise<void> {
  const { next, loading, rows } = getState()
  if (next === null || loading) return
  const mine = round
  setState({ loading: true })
  await attempt(mine, () => readOn(mine, rows.length + ENOUGH))
}

/** Takes news on top, or keeps it while paused. */
export function takeRecords(news: readonly LogRecord[]): void {
  const { read, rows, filters, paused, waiting, problem, fresh } = getState()
  if (problem !== null) return
  const known = new Set(read.map(({ id }) => id))
  const records = news.filter((record) => !known.has(record.id) && record.entity_type !== 'log').toReversed()
  if (records.length === 0) return
  if (paused) {
    setState({ waiting: [...records, ...waiting] })
    return
  }
  const ids = records.map(({ id }) => id)
  setState({
    read: [...records, ...read],
    rows: [...records.filter((record) => passes(record, filters)), ...rows],
    fresh: new Set([...fresh, ...ids]),
  })
  setTimeout(
    () => setState({ fresh: new Set([...getState().fresh].filter((id) => !ids.includes(id))) }),
    FRESH_MS,
  )
}

/** Stops the list where it is, or lets it go on with what came meanwhile. */
export function pauseRecords(paused: boolean): void {
  const { waiting } = getState()
  setState({ paused, waiting: [] })
  if (!paused) takeRecords(waiting.toReversed())
}

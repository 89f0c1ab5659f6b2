import { createRequestGuard } from './request-guard.ts'
import { createOpenCheck, createVaultState, createVaultStore } from './store.ts'

/** How many rows are loaded at first, and how many more at a time. */
const STEP = 200
const PAGE_SIZE = 100
/** A page of a filtered list may have few rows, or none. */
const MAX_PAGES = 40

export type ListFilters = Readonly<Record<string, string | undefined>>

type Page<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly next?: string | undefined }
  /** How many rows there are without filters. */
  readonly total: number
}

type PageRequest = { readonly filters: ListFilters; readonly size: number; readonly start?: string }

/** Creates the store of a list that the engine filters and pages, newest first. */
export function createPagedList<Row>(fetchPage: (request: PageRequest) => Promise<Page<Row>>) {
  const useList = createVaultStore(() => ({
    rows: [] as readonly Row[],
    total: 0,
    /** Whether there may be more rows with these filters. */
    more: false,
    loaded: false,
    problem: null as unknown,
  }))
  const wanted = createVaultState(() => ({ filters: {} as ListFilters, limit: STEP }))
  const readings = createRequestGuard()

  async function load(): Promise<void> {
    const isCurrent = readings.repeat()
    const { filters, limit } = wanted.current
    const rows: Row[] = []
    let total = 0
    let start: string | undefined
    for (let page = 0; page < MAX_PAGES && rows.length < limit; page++) {
      const found = await fetchPage({ filters, size: PAGE_SIZE, ...(start !== undefined && { start }) })
      if (!isCurrent()) return
      rows.push(...found.data)
      total = found.total
      start = found.pagination.next
      if (start === undefined) break
    }
    useList.setState({ rows, total, more: start !== undefined, loaded: true, problem: null })
  }

  /** Loads the rows. If that fails, the loaded ones stay and `problem` holds the error. */
  function read(): Promise<void> {
    const isOpen = createOpenCheck()
    return load().catch((problem) => {
      if (isOpen()) useList.setState({ problem })
    })
  }

  return {
    useList,
    load,
    read,
    /** Shows the rows with other filters. */
    filter(filters: ListFilters): Promise<void> {
      readings.start()
      wanted.current = { filters, limit: STEP }
      useList.setState(useList.getInitialState(), true)
      return read()
    },
    readMore(): Promise<void> {
      wanted.current = { ...wanted.current, limit: wanted.current.limit + STEP }
      return read()
    },
  }
}

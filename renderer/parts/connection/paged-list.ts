import type { Condition, Filter } from '../../../shared/conditions.ts'
import { createRequestGuard } from './request-guard.ts'
import { createOpenCheck, createVaultState, createVaultStore } from './store.ts'

/** How many rows are loaded at first, and how many more at a time. */
const STEP = 200
const PAGE_SIZE = 100
/** A page of a filtered list may have few rows, or none. */
const MAX_PAGES = 40

type Page<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly next?: string | undefined }
  /** How many rows there are without filters. */
  readonly total: number
}

type PagedListState<Row> = {
  readonly rows: readonly Row[]
  readonly total: number
  /** Whether there may be more rows with these filters. */
  readonly more: boolean
  readonly loaded: boolean
  readonly problem: unknown
}

type RowsRequest<Field extends string> = {
  readonly where: readonly Condition<Field>[]
  readonly q: string
  readonly size: number
  readonly start?: string
}

/** Creates the store of a list that the engine filters and pages, newest first. */
export function createPagedList<Row, Field extends string>(
  fetchPage: (request: RowsRequest<Field>) => Promise<Page<Row>>,
) {
  const useList = createVaultStore<PagedListState<Row>>(() => ({
    rows: [],
    total: 0,
    more: false,
    loaded: false,
    problem: null,
  }))
  const wanted = createVaultState<{ filter: Filter<Field>; limit: number }>(() => ({
    filter: { conditions: [], words: '' },
    limit: STEP,
  }))
  const readings = createRequestGuard()

  async function loadRows(): Promise<void> {
    const isCurrent = readings.repeat()
    const { filter, limit } = wanted.current
    const query = { where: filter.conditions, q: filter.words, size: PAGE_SIZE }
    const rows: Row[] = []
    let total = 0
    let start: string | undefined
    for (let page = 0; page < MAX_PAGES && rows.length < limit; page++) {
      const found = await fetchPage({ ...query, ...(start !== undefined && { start }) })
      if (!isCurrent()) return
      rows.push(...found.data)
      total = found.total
      start = found.pagination.next
      if (start === undefined) break
    }
    useList.setState({ rows, total, more: start !== undefined, loaded: true, problem: null })
  }

  /** Loads the rows. If that fails, the loaded ones stay and `problem` holds the error. */
  function readRows(): Promise<void> {
    const isOpen = createOpenCheck()
    return loadRows().catch((problem) => {
      if (isOpen()) useList.setState({ problem })
    })
  }

  return {
    useList,
    load: loadRows,
    read: readRows,
    /** Shows the rows with another filter. */
    filterRows(filter: Filter<Field>): Promise<void> {
      readings.start()
      wanted.current = { filter, limit: STEP }
      useList.setState(useList.getInitialState(), true)
      return readRows()
    },
    readMore(): Promise<void> {
      wanted.current = { ...wanted.current, limit: wanted.current.limit + STEP }
      return readRows()
    },
  }
}

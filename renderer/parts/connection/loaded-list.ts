import type { StoreApi, UseBoundStore } from 'zustand'
import { createRequestGuard } from './request-guard.ts'
import { createOpenCheck, createVaultStore } from './store.ts'

type LoadedListState<Row> = {
  readonly rows: readonly Row[]
  /** The number of rows in the vault, which may exceed the number loaded. */
  readonly total: number
  readonly loaded: boolean
  /** The error of the last load; null if it succeeded. */
  readonly problem: unknown
}

export type LoadedList<Row> = {
  readonly useList: UseBoundStore<StoreApi<LoadedListState<Row>>>
  readonly load: () => Promise<void>
  /** Loads the rows. If that fails, the loaded ones stay and `problem` holds the error. */
  readonly read: () => Promise<void>
}

/**
 * Creates the shared store of a list. Rows are dropped if `getViewer` returns another value when they arrive than
 * when they were requested.
 */
export function createLoadedList<Row>(
  fetchRows: () => Promise<{ readonly items: readonly Row[]; readonly total: number }>,
  getViewer: () => unknown = () => null,
): LoadedList<Row> {
  const useList = createVaultStore<LoadedListState<Row>>(() => ({
    rows: [],
    total: 0,
    loaded: false,
    problem: null,
  }))
  const readings = createRequestGuard()

  async function loadRows(): Promise<void> {
    const isCurrent = readings.repeat()
    const viewer = getViewer()
    const { items: rows, total } = await fetchRows()
    if (!isCurrent() || getViewer() !== viewer) return
    useList.setState({ rows, total, loaded: true, problem: null })
  }

  function readRows(): Promise<void> {
    const isOpen = createOpenCheck()
    return loadRows().catch((problem) => {
      if (isOpen()) useList.setState({ problem })
    })
  }

  return { useList, load: loadRows, read: readRows }
}

import { useEffect } from 'react'
import type { StoreApi, UseBoundStore } from 'zustand'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { keepCurrent } from '../connection/change-subscription.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createOpenCheck, createVaultStore } from '../connection/store.ts'
import { useMay, useViewAs } from './view-as.ts'

const MAX_ROWS = 500

type FollowedListState<Row> = {
  readonly rows: readonly Row[]
  /** The number of rows in the vault, which may exceed the number loaded. */
  readonly total: number
  readonly loaded: boolean
  /** The error of the last load; null if it succeeded. */
  readonly problem: unknown
}

type ListPage<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly total_items: number; readonly total_pages: number }
}

type FollowedList<Row> = {
  readonly entity: ChangingEntity
  /** Any one of these permits reading the list. */
  readonly permissions: readonly Permission[]
  /** The rows that the current view may read, newest first. */
  readonly useList: UseBoundStore<StoreApi<FollowedListState<Row>>>
  readonly load: () => Promise<void>
  /** Loads the rows. If that fails, the loaded ones stay and `problem` holds the error. */
  readonly read: () => Promise<void>
  /** Clears the rows, because another view may not be allowed to read them. */
  readonly reset: () => void
}

/** Creates the shared store of a list, such as the vault's proxies. */
export function createFollowedList<Row>(
  entity: ChangingEntity,
  permission: Permission | readonly Permission[],
  fetchPage: (page: { readonly page: number; readonly size: number }) => Promise<ListPage<Row>>,
): FollowedList<Row> {
  const useList = createVaultStore<FollowedListState<Row>>(() => ({
    rows: [],
    total: 0,
    loaded: false,
    problem: null,
  }))
  const readings = createRequestGuard()

  async function loadRows(): Promise<void> {
    const isCurrent = readings.repeat()
    const { as } = useViewAs.getState()
    const { items: rows, total } = await fetchEveryItem(fetchPage, MAX_ROWS)
    if (!isCurrent() || useViewAs.getState().as !== as) return
    useList.setState({ rows, total, loaded: true, problem: null })
  }

  function readRows(): Promise<void> {
    const isOpen = createOpenCheck()
    return loadRows().catch((problem) => {
      if (isOpen()) useList.setState({ problem })
    })
  }

  return {
    entity,
    permissions: [permission].flat(),
    useList,
    load: loadRows,
    read: readRows,
    reset: () => useList.setState(useList.getInitialState(), true),
  }
}

/** Loads the list and keeps it current while the component is mounted. */
export function useFollowed({
  entity,
  permissions,
  read,
  reset,
}: Pick<FollowedList<unknown>, 'entity' | 'permissions' | 'read' | 'reset'>): void {
  const as = useViewAs((state) => state.as?.id ?? null)
  const mayRead = useMay(...permissions)
  useEffect(() => {
    if (!mayRead) return
    const stop = keepCurrent(read, [entity])
    return () => {
      stop()
      if (useViewAs.getState().as?.id !== as) reset()
    }
  }, [as, mayRead, entity, read, reset])
}

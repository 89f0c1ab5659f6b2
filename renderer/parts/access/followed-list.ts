import { useEffect } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { keepCurrent } from '../connection/change-subscription.ts'
import { createLoadedList, type LoadedList } from '../connection/loaded-list.ts'
import { useMay, useViewAs } from './view-as.ts'

const MAX_ROWS = 500

type ListPage<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly total_items: number; readonly total_pages: number }
}

type FollowedList<Row> = LoadedList<Row> & {
  readonly entity: ChangingEntity
  /** Any one of these permits reading the list. */
  readonly permissions: readonly [Permission, ...Permission[]]
  /** Clears the rows, because another view may not be allowed to read them. */
  readonly reset: () => void
}

/** Creates the shared store of a list as the current view may read it, newest first. */
export function createFollowedList<Row>(
  entity: ChangingEntity,
  permissions: readonly [Permission, ...Permission[]],
  fetchPage: (page: { readonly page: number; readonly size: number }) => Promise<ListPage<Row>>,
): FollowedList<Row> {
  const list = createLoadedList(
    () => fetchEveryItem(fetchPage, MAX_ROWS),
    () => useViewAs.getState().as,
  )
  const { useList } = list
  return { ...list, entity, permissions, reset: () => useList.setState(useList.getInitialState(), true) }
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

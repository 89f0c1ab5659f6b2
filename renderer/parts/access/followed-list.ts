import { useEffect } from 'react'
import type { StoreApi, UseBoundStore } from 'zustand'
import type { ChangingEntity } from '../../../shared/changes.ts'
import { everyItem } from '../../../shared/every-item.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore, whileOpen } from '../connection/store.ts'
import { useLooking, useMay } from './looking.ts'

const MOST = 500

type Known<Row> = {
  readonly rows: readonly Row[]
  /** The number of rows in the vault; only the newest are here. */
  readonly total: number
  readonly loaded: boolean
  /** Why the rows could not be loaded. */
  readonly problem: unknown
}

type Page<Row> = {
  readonly data: readonly Row[]
  readonly pagination: { readonly total_items: number; readonly total_pages: number }
}

type FollowedList<Row> = {
  readonly entity: ChangingEntity
  /** Either of these allows reading. */
  readonly permissions: readonly Permission[]
  /** The newest rows first, as the current view may see them. */
  readonly useList: UseBoundStore<StoreApi<Known<Row>>>
  readonly load: () => Promise<void>
  /** Loads the rows. On failure the known ones stay, and `problem` says why. */
  readonly read: () => Promise<void>
  /** Forgets the rows, because another view may see others. */
  readonly reset: () => void
}

/** A list of the vault that several places show, such as its proxies. */
export function followedList<Row>(
  entity: ChangingEntity,
  permission: Permission | readonly Permission[],
  pageOf: (page: { readonly page: number; readonly size: number }) => Promise<Page<Row>>,
): FollowedList<Row> {
  const useList = vaultStore<Known<Row>>(() => ({ rows: [], total: 0, loaded: false, problem: null }))
  const readings = latest()

  async function load(): Promise<void> {
    const isWanted = readings.again()
    const { as } = useLooking.getState()
    const { items: rows, total } = await everyItem(pageOf, MOST)
    if (!isWanted() || useLooking.getState().as !== as) return
    useList.setState({ rows, total, loaded: true, problem: null })
  }

  function read(): Promise<void> {
    const isOpen = whileOpen()
    return load().catch((problem) => {
      if (isOpen()) useList.setState({ problem })
    })
  }

  return {
    entity,
    permissions: [permission].flat(),
    useList,
    load,
    read,
    reset: () => useList.setState(useList.getInitialState(), true),
  }
}

/** Keeps the rows of the current view current as they change. */
export function useFollowed({
  entity,
  permissions,
  read,
  reset,
}: Pick<FollowedList<unknown>, 'entity' | 'permissions' | 'read' | 'reset'>): void {
  const as = useLooking((state) => state.as?.id ?? null)
  const mayRead = useMay(...permissions)
  useEffect(() => {
    if (!mayRead) return
    const stop = keepCurrent(read, [entity])
    return () => {
      stop()
      if (useLooking.getState().as?.id !== as) reset()
    }
  }, [as, mayRead, entity, read, reset])
}

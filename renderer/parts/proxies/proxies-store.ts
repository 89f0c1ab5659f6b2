import { useEffect } from 'react'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { reader, useLooking, useMay } from '../access/looking.ts'
import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore, whileOpen } from '../connection/store.ts'

type Known = {
  readonly proxies: readonly ProxyObject[]
  /** The number of proxies in the vault; only the newest are here. */
  readonly total: number
  readonly loaded: boolean
  /** Why the proxies could not be loaded. */
  readonly problem: unknown
}

const MOST = 500

/** The proxies of the vault, newest first, as the current view may see them. */
export const useProxies = vaultStore<Known>(() => ({ proxies: [], total: 0, loaded: false, problem: null }))

const readings = latest()

/** Reloads the proxies. */
export async function loadProxies(): Promise<void> {
  const isWanted = readings.again()
  const { as } = useLooking.getState()
  const proxies: ProxyObject[] = []
  let total = 0
  for (let page = 1; proxies.length < MOST; page++) {
    const { data, pagination } = await reader().proxies.list({ page, size: 100 })
    proxies.push(...data)
    total = pagination.total_items
    if (page >= pagination.total_pages) break
  }
  if (!isWanted() || useLooking.getState().as !== as) return
  useProxies.setState({ proxies, total, loaded: true, problem: null })
}

/** Loads the proxies. On failure the known ones stay, and `problem` says why. */
export function readProxies(): Promise<void> {
  const isOpen = whileOpen()
  return loadProxies().catch((problem) => {
    if (isOpen()) useProxies.setState({ problem })
  })
}

/** Keeps the proxies of the current view current as they change; another view may see others. */
export function useFollowedProxies(): void {
  const as = useLooking((state) => state.as?.id ?? null)
  const mayRead = useMay('proxy:read')
  useEffect(() => {
    if (!mayRead) return
    const stop = keepCurrent(readProxies, ['proxy'])
    return () => {
      stop()
      if (useLooking.getState().as?.id !== as) useProxies.setState(useProxies.getInitialState(), true)
    }
  }, [as, mayRead])
}

import { loadCounts } from '../counts-store.ts'
import { onLog } from '../session.ts'
import { vaultStore } from '../store.ts'
import { vault } from '../vault.ts'

export type Traffic = Awaited<ReturnType<typeof vault.stats.requests>>
type Expiry = Awaited<ReturnType<typeof vault.stats.expiries>>[number]
export type Minutes = 60 | 1440 | 10080

const BUCKETS = 48
const WAIT_MS = 2000

type HomeState = {
  readonly minutes: Minutes
  readonly traffic: Traffic | null
  readonly expiries: readonly Expiry[] | null
}

export const useHome = vaultStore<HomeState>(() => ({ minutes: 60, traffic: null, expiries: null }))

/** Counts traffic over another range. */
export async function showTraffic(minutes: Minutes): Promise<void> {
  useHome.setState({ minutes })
  const traffic = await vault.stats.requests({ minutes, buckets: BUCKETS })
  if (useHome.getState().minutes === minutes) useHome.setState({ traffic })
}

async function read(): Promise<void> {
  const [expiries] = await Promise.all([
    vault.stats.expiries(),
    loadCounts(),
    showTraffic(useHome.getState().minutes),
  ])
  useHome.setState({ expiries })
}

/** Keeps everything here up to date, at most every two seconds; gives what ends it. */
export function followHome(): () => void {
  const readSafely = () => read().catch(() => undefined)
  let timer: ReturnType<typeof setTimeout> | undefined
  readSafely()
  const stop = onLog(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      readSafely()
    }, WAIT_MS)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

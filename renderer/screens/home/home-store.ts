import { latest } from '../../parts/connection/latest.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { onLog } from '../../parts/connection/session.ts'
import { vaultStore, whileOpen } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { loadCounts } from '../../parts/tokens/counts-store.ts'

export type Traffic = Awaited<ReturnType<typeof vault.stats.requests>>
type Expiry = Awaited<ReturnType<typeof vault.stats.expiries>>[number]
export type Minutes = 60 | 1440 | 10080

const BUCKETS = 48
const WAIT_MS = 2000

type HomeState = {
  readonly minutes: Minutes
  /** Null until it is known for these minutes. */
  readonly traffic: Traffic | null
  readonly expiries: readonly Expiry[] | null
  /** Why some of it could not be read the last time. */
  readonly problem: unknown
}

export const useHome = vaultStore<HomeState>(() => ({
  minutes: 60,
  traffic: null,
  expiries: null,
  problem: null,
}))

const { getState, setState } = useHome

/** The range that is shown: what is counted over another one is dropped. */
const range = latest()
const readings = latest()

async function readTraffic(): Promise<void> {
  const isWanted = range.join()
  const { minutes } = getState()
  const traffic = await vault.stats.requests({ minutes, buckets: BUCKETS })
  if (isWanted()) setState({ traffic })
}

async function readExpiries(): Promise<void> {
  const isOpen = whileOpen()
  const expiries = await vault.stats.expiries()
  if (isOpen()) setState({ expiries })
}

/** Counts traffic over another range. */
export function showTraffic(minutes: Minutes): void {
  range.begin()
  setState({ minutes, traffic: null })
  readHome()
}

/** Reads everything again; why a part of it fails is kept. */
export async function readHome(): Promise<void> {
  const isWanted = readings.begin()
  const read = await Promise.allSettled([readTraffic(), readExpiries(), loadCounts()])
  const failed = read.find((each) => each.status === 'rejected')
  if (isWanted()) setState({ problem: failed?.reason ?? null })
}

/** Keeps everything here up to date, at most every two seconds; gives what ends it. */
export function followHome(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopLoading = keepLoaded(readHome)
  const stop = onLog(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      readHome()
    }, WAIT_MS)
  })
  return () => {
    stopLoading()
    stop()
    clearTimeout(timer)
  }
}

import { keepLoaded } from '../../parts/connection/reach.ts'
import { onLog } from '../../parts/connection/session.ts'
import { vaultStore } from '../../parts/connection/store.ts'
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

async function readTraffic(): Promise<void> {
  const { minutes } = getState()
  const traffic = await vault.stats.requests({ minutes, buckets: BUCKETS })
  if (getState().minutes === minutes) setState({ traffic })
}

async function readExpiries(): Promise<void> {
  setState({ expiries: await vault.stats.expiries() })
}

/** Counts traffic over another range. */
export function showTraffic(minutes: Minutes): void {
  setState({ minutes, traffic: null })
  readHome()
}

let round = 0

/** Reads everything again; why a part of it fails is kept. */
export async function readHome(): Promise<void> {
  const mine = ++round
  const read = await Promise.allSettled([readTraffic(), readExpiries(), loadCounts()])
  const failed = read.find((each) => each.status === 'rejected')
  if (mine === round) setState({ problem: failed?.reason ?? null })
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

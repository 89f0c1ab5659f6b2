import { followChanges, followRecords } from '../../parts/connection/follow.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
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

/** Reads one part again; everything, where a part of it failed the last time. */
async function readPart(read: () => Promise<void>): Promise<void> {
  if (getState().problem !== null) return readHome()
  await read().catch((problem) => setState({ problem }))
}

/**
 * Keeps everything here up to date, at most every two seconds: traffic with the records, tokens and expiries with what
 * changes. Gives what ends it.
 */
export function followHome(): () => void {
  const stops = [
    keepLoaded(readHome),
    followRecords(() => readPart(readTraffic), WAIT_MS),
    followChanges(['token'], () => readPart(loadCounts), WAIT_MS),
    followChanges(['token', 'application'], () => readPart(readExpiries), WAIT_MS),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

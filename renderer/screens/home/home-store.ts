import { followChanges, followRecords } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
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
const expiring = latest()
const readings = latest()

async function readTraffic(): Promise<void> {
  const isWanted = range.again()
  const { minutes } = getState()
  const traffic = await vault.stats.requests({ minutes, buckets: BUCKETS })
  if (isWanted()) setState({ traffic })
}

async function readExpiries(): Promise<void> {
  const isWanted = expiring.again()
  const expiries = await vault.stats.expiries()
  if (isWanted()) setState({ expiries })
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

/** Reads one part again; everything, where a part of it failed the last time. */
async function readPart(read: () => Promise<void>): Promise<void> {
  if (getState().problem !== null) return readHome()
  const isOpen = whileOpen()
  await read().catch((problem) => {
    if (isOpen()) setState({ problem })
  })
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

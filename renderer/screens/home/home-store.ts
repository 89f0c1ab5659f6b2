import { followChanges, followRecords, joinStops } from '../../parts/connection/change-subscription.ts'
import { keepLoaded } from '../../parts/connection/connection-state.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { loadDocumentCount } from '../../parts/documents/count-store.ts'
import { loadCounts } from '../../parts/tokens/counts-store.ts'
import { loadFirstSteps, useFirstSteps } from '../../parts/vaults/first-steps.ts'
import { listSteps } from '../../parts/vaults/steps.ts'

export type Traffic = Awaited<ReturnType<typeof vault.stats.requests>>
type Expiries = Awaited<ReturnType<typeof vault.stats.expiries>>
export type Minutes = 60 | 1440 | 10080

const BUCKETS = 48
const REFRESH_INTERVAL_MS = 2000

type HomeState = {
  readonly minutes: Minutes
  /** Null until loaded for the current range. */
  readonly traffic: Traffic | null
  readonly expiries: Expiries | null
  /** The error of the last load, if a part of it failed. */
  readonly problem: unknown
}

export const useHome = createVaultStore<HomeState>(() => ({
  minutes: 60,
  traffic: null,
  expiries: null,
  problem: null,
}))

const { getState, setState } = useHome

/** Tracks the current range, so that responses for another range are dropped. */
const range = createRequestGuard()
const expiring = createRequestGuard()
const latestLoad = createRequestGuard()

async function readTraffic(): Promise<void> {
  const isCurrent = range.repeat()
  const { minutes } = getState()
  let complete = false
  // Each call counts a bounded part of the log, and only once: later calls count only new records.
  while (!complete && isCurrent()) {
    const traffic = await vault.stats.requests({ minutes, buckets: BUCKETS })
    if (isCurrent()) setState({ traffic })
    complete = traffic.complete
  }
}

async function readExpiries(): Promise<void> {
  const isCurrent = expiring.repeat()
  const expiries = await vault.stats.expiries()
  if (isCurrent()) setState({ expiries })
}

export function showTraffic(minutes: Minutes): void {
  range.start()
  setState({ minutes, traffic: null })
  // Stores its error.
  void readHome()
}

/** Reloads everything; `problem` is the error of a part that failed. */
export async function readHome(): Promise<void> {
  const isCurrent = latestLoad.start()
  const read = await Promise.allSettled([
    readTraffic(),
    readExpiries(),
    loadCounts(),
    loadDocumentCount(),
    loadFirstSteps(),
  ])
  const failed = read.find((each) => each.status === 'rejected')
  if (isCurrent()) setState({ problem: failed?.reason ?? null })
}

/** Loads the first steps. Completed steps stay complete, so this loads nothing once all are complete. */
async function loadSteps(): Promise<void> {
  const { steps } = useFirstSteps.getState()
  if (steps === null || listSteps(steps).some((name) => !steps[name])) await loadFirstSteps()
}

/** Reloads one part, or everything if a part failed last time. */
async function reloadPart(read: () => Promise<void>): Promise<void> {
  if (getState().problem !== null) return readHome()
  const isOpen = createOpenCheck()
  await read().catch((problem) => {
    if (isOpen()) setState({ problem })
  })
}

/**
 * Keeps the home screen current, at most every two seconds: traffic as log records arrive, tokens and
 * expiries as the vault changes. Returns a function that unsubscribes.
 */
export function followHome(): () => void {
  return joinStops(
    keepLoaded(readHome),
    followRecords(() => reloadPart(readTraffic), REFRESH_INTERVAL_MS),
    // A new log record may mean that a step was taken, because the log also records changes and backups.
    followRecords(() => reloadPart(loadSteps), REFRESH_INTERVAL_MS),
    followChanges(['token'], () => reloadPart(loadCounts), REFRESH_INTERVAL_MS),
    followChanges(['document'], () => reloadPart(loadDocumentCount), REFRESH_INTERVAL_MS),
    followChanges(['token', 'application'], () => reloadPart(readExpiries), REFRESH_INTERVAL_MS),
  )
}

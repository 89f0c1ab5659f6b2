// `.ci/run` limits the whole matrix, because a registry may answer slowly, or not at all.
const seconds = Number(process.env.COFFER_CLIENTS_SECONDS ?? Number.POSITIVE_INFINITY)
const end = performance.now() + seconds * 1000

/** Whether the time of the whole matrix is up. */
export function isTimeOver(): boolean {
  return performance.now() >= end
}

/** How long something may take, in milliseconds: as long as given, or until the time of the whole matrix is up. */
export function getTimeout(most: number): number {
  return Math.max(1, Math.min(most, Math.ceil(end - performance.now())))
}

/** The same for what a registry answers: where the whole is limited, no registry takes more than a quarter of it. */
export function getTimeoutWithRegistry(most: number): number {
  return getTimeout(Math.min(most, Math.ceil(seconds * 250)))
}

// `.ci/run` limits the whole matrix, because a registry may respond slowly or not at all.
const seconds = Number(process.env.COFFER_CLIENTS_SECONDS ?? Number.POSITIVE_INFINITY)
const end = performance.now() + seconds * 1000

/** Whether the time of the whole matrix is up. */
export function isTimeOver(): boolean {
  return performance.now() >= end
}

/** Shortens a timeout in milliseconds so that it ends with the time of the whole matrix. */
export function getTimeout(most: number): number {
  return Math.max(1, Math.min(most, Math.ceil(end - performance.now())))
}

/** The same for a registry: if the matrix is limited, no registry may take more than a quarter of its time. */
export function getTimeoutWithRegistry(most: number): number {
  return getTimeout(Math.min(most, Math.ceil(seconds * 250)))
}

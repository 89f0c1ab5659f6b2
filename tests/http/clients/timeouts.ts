// `.ci/run` limits the time of the complete matrix, because a registry may respond slowly or not at all.
const seconds = Number(process.env.COFFER_CLIENTS_SECONDS ?? Number.POSITIVE_INFINITY)
const end = performance.now() + seconds * 1000

/** Whether the time limit of the matrix has passed. */
export function isTimeOver(): boolean {
  return performance.now() >= end
}

/** Shortens a timeout in ms so that it ends at the time limit of the matrix. */
export function getTimeout(max: number): number {
  return Math.max(1, Math.min(max, Math.ceil(end - performance.now())))
}

/** Shortens a timeout in ms for a registry: if the matrix has a time limit, to at most a quarter of it. */
export function getTimeoutWithRegistry(max: number): number {
  return getTimeout(Math.min(max, Math.ceil(seconds * 250)))
}

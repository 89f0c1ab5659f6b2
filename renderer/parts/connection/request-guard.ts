import { createOpenCheck } from './store.ts'

/** Whether a response is still current when it arrives. */
type IsCurrent = () => boolean

export type RequestGuard = {
  /** Begins a new query. Responses to earlier queries become stale. */
  readonly start: () => IsCurrent
  /** Adds a request to the current query, such as its next page. */
  readonly join: () => IsCurrent
  /** Repeats the query. A response becomes stale only once the response to a later repetition has arrived. */
  readonly repeat: () => IsCurrent
}

/** Distinguishes current responses from stale ones, which arrive too late or after the vault was locked. */
export function createRequestGuard(): RequestGuard {
  let round = 0
  let requested = 0
  let lastArrived = 0
  const join = (): IsCurrent => {
    const ownRound = round
    const isOpen = createOpenCheck()
    return () => ownRound === round && isOpen()
  }
  return {
    join,
    repeat() {
      const request = ++requested
      const isCurrent = join()
      return () => {
        if (request < lastArrived || !isCurrent()) return false
        lastArrived = request
        return true
      }
    },
    start() {
      round++
      return join()
    },
  }
}

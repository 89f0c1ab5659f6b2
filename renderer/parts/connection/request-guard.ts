import { createOpenCheck } from './store.ts'

/** Whether an answer is still wanted when it arrives. */
type IsCurrent = () => boolean

export type RequestGuard = {
  /** Starts a new question; answers to earlier ones are no longer wanted. */
  readonly start: () => IsCurrent
  /** Continues the current question. */
  readonly join: () => IsCurrent
  /** Asks the same again: an answer that comes after one to a later question is no longer wanted. */
  readonly repeat: () => IsCurrent
}

/** Distinguishes answers still wanted from those that arrive too late or after the vault was locked. */
export function createRequestGuard(): RequestGuard {
  let round = 0
  let requested = 0
  let answered = 0
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
        if (request < answered || !isCurrent()) return false
        answered = request
        return true
      }
    },
    start() {
      round++
      return join()
    },
  }
}

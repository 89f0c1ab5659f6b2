import { whileOpen } from './store.ts'

/** Whether an answer is still wanted when it arrives. */
type IsWanted = () => boolean

export type Latest = {
  /** Starts a new question; answers to earlier ones are no longer wanted. */
  readonly begin: () => IsWanted
  /** Continues the current question. */
  readonly join: () => IsWanted
  /** Asks the same again: an answer that comes after one to a later question is no longer wanted. */
  readonly again: () => IsWanted
}

/** Distinguishes answers still wanted from those that arrive too late or after the vault was locked. */
export function latest(): Latest {
  let round = 0
  let asked = 0
  let answered = 0
  const join = (): IsWanted => {
    const mine = round
    const isOpen = whileOpen()
    return () => mine === round && isOpen()
  }
  return {
    join,
    again() {
      const mine = ++asked
      const isWanted = join()
      return () => {
        if (mine < answered || !isWanted()) return false
        answered = mine
        return true
      }
    },
    begin() {
      round++
      return join()
    },
  }
}

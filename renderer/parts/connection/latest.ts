import { whileOpen } from './store.ts'

/** Whether an answer is still wanted when it comes. */
type IsWanted = () => boolean

export type Latest = {
  /** Asks something else from now on: what was asked before is no longer wanted. */
  readonly begin: () => IsWanted
  /** Asks more about what was asked last. */
  readonly join: () => IsWanted
  /** Asks the same again: an answer that comes after one to a later question is no longer wanted. */
  readonly again: () => IsWanted
}

/** Tells answers that are still wanted from those that came too late, or after the vault was locked. */
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

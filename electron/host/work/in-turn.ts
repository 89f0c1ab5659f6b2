const nothing = (): void => {}

/** Runs actions one after the other, whether or not earlier ones fail. */
export function inTurn(): <T>(act: () => Promise<T>) => Promise<T> {
  let last = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    // SECURITY: do not keep a result, such as a new recovery key, until the next action (case X-35).
    last = next.then(nothing, nothing)
    return next
  }
}

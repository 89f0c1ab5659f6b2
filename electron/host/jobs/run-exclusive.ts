const ignoreOutcome = (): void => {}

/** Runs actions one after the other, whether or not earlier ones fail. */
export function createExclusiveRunner(): <T>(act: () => Promise<T>) => Promise<T> {
  let last = Promise.resolve()
  return (action) => {
    const next = last.then(action)
    // SECURITY: do not keep a result, such as a new recovery key, until the next action (case X-35).
    last = next.then(ignoreOutcome, ignoreOutcome)
    return next
  }
}

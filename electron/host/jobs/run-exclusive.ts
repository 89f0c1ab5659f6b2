const ignoreOutcome = (): void => {}

/** Returns a function that runs actions one after another, even if earlier ones fail. */
export function createExclusiveRunner(): <T>(action: () => Promise<T>) => Promise<T> {
  let last = Promise.resolve()
  return (action) => {
    const next = last.then(action)
    // SECURITY: do not keep a result, such as a new recovery key, until the next action (case X-35).
    last = next.then(ignoreOutcome, ignoreOutcome)
    return next
  }
}

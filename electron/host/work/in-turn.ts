const nothing = (): void => {}

/** Runs what it is given one after the other, whatever the ones before came to. */
export function inTurn(): <T>(act: () => Promise<T>) => Promise<T> {
  let last = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    // SECURITY: what it came to, such as a new recovery key, must not be kept until the next one comes (case X-35).
    last = next.then(nothing, nothing)
    return next
  }
}

/** Members with random values or times, which may contain any few digits by chance. */
const random = /^(id|ids|at|fingerprint|\w+_(id|ids|at|by))$/

/** Returns the JSON of a value without ids, fingerprints and times, to search it for the few digits of a secret. */
export function withoutIds(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => (random.test(name) ? undefined : each))
}

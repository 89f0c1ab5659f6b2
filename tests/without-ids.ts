/** Members whose values are random or times: they may hold any few digits by chance. */
const random = /^(id|ids|at|fingerprint|\w+_(id|ids|at|by))$/

/** The JSON of a value without its ids, fingerprints and times, in which to look for few digits of a secret. */
export function withoutIds(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => (random.test(name) ? undefined : each))
}

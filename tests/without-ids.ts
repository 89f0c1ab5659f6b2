/** Members with random values or times, which may contain a few given digits by chance. */
const random = /^(id|ids|at|fingerprint|\w+_(id|ids|at|by))$/

/**
 * Returns the JSON of a value without ids, fingerprints and times. Use it to search for a secret of a few digits, which
 * these may contain by chance.
 */
export function withoutIds(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => (random.test(name) ? undefined : each))
}

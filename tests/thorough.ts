/** Whether every test runs, each at full length (`npm run test:thorough`). */
export const isThorough = process.env.COFFER_TESTS === 'thorough'

/** Returns the number of runs of a random test: `often` in a thorough test run, otherwise a tenth of it. */
export function getRunCount(often: number): { numRuns: number } {
  return { numRuns: isThorough ? often : Math.ceil(often / 10) }
}

/** Returns all items in a thorough test run, otherwise `count` of them, spread evenly from the first to the last. */
export function pickSome<T>(items: readonly T[], count: number): readonly T[] {
  if (isThorough || items.length <= count) return items
  const step = (items.length - 1) / Math.max(1, count - 1)
  const taken = new Set(Array.from({ length: count }, (_, at) => Math.round(at * step)))
  return items.filter((_, index) => taken.has(index))
}

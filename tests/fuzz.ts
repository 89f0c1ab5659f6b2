import fc from 'fast-check'
import { CofferError } from '../shared/errors.ts'
import { isThorough } from './thorough.ts'

// `npm run fuzz` sets the number of attempts, and with --seed also the seed, so that a failure can be repeated.
const steps = process.env.COFFER_FUZZ_STEPS
const seed = process.env.COFFER_FUZZ_SEED

/**
 * Returns the number of runs and the seed: from the environment if set, otherwise `often` runs in a thorough test run
 * and `seldom` in a quick one.
 */
export function getFuzzParameters(often: number, seldom = Math.ceil(often / 10)): fc.Parameters<unknown> {
  return {
    numRuns: steps !== undefined ? Number(steps) : isThorough ? often : seldom,
    ...(seed !== undefined && { seed: Number(seed) }),
  }
}

/** The timeout of a random test in ms, which grows with the number of runs. */
export const fuzzTimeout = Math.max(60_000, Number(steps ?? 0) * 20)

/** Generates variations of strings: up to four parts are dropped, doubled, inserted, replaced or swapped. */
export function mutatedTexts(texts: readonly string[], pieces: readonly string[]): fc.Arbitrary<string> {
  const change = fc.record({
    kind: fc.constantFrom('drop', 'double', 'insert', 'replace', 'swap'),
    at: fc.nat(10_000),
    length: fc.integer({ min: 1, max: 8 }),
    piece: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 3 })),
  })
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((changed, { kind, at, length, piece }) => {
        const from = at % (changed.length + 1)
        const [before, middle, after] = [
          changed.slice(0, from),
          changed.slice(from, from + length),
          changed.slice(from + length),
        ]
        if (kind === 'drop') return before + after
        if (kind === 'double') return before + middle + middle + after
        if (kind === 'insert') return before + piece + middle + after
        if (kind === 'swap') return middle + before + after
        return before + piece + after
      }, text),
    )
}

/**
 * Returns the error that an action throws, or null if it succeeds. Throws if the error is not a CofferError with one of
 * these statuses.
 */
export function catchRejection(act: () => unknown, statuses: readonly number[] = [400]): CofferError | null {
  try {
    act()
    return null
  } catch (error) {
    if (error instanceof CofferError && statuses.includes(error.status)) return error
    throw new Error('not a refusal that is expected', { cause: error })
  }
}

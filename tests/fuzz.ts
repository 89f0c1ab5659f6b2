import fc from 'fast-check'
import { CofferError } from '../shared/errors.ts'
import { isThorough } from './thorough.ts'

// `npm run fuzz` makes more attempts; its --seed repeats a failure.
const steps = process.env.COFFER_FUZZ_STEPS
const seed = process.env.COFFER_FUZZ_SEED

/** The number of attempts and the seed, unless the environment sets them; fewer attempts unless all tests run. */
export function getFuzzParameters(often: number, seldom = Math.ceil(often / 10)): fc.Parameters<unknown> {
  return {
    numRuns: steps !== undefined ? Number(steps) : isThorough ? often : seldom,
    ...(seed !== undefined && { seed: Number(seed) }),
  }
}

/** The timeout of a test for that many attempts. */
export const fuzzTimeout = Math.max(60_000, Number(steps ?? 0) * 20)

/** Creates variations of texts: a few parts of them left out, doubled, swapped or replaced. */
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
 * Returns the error that an action throws; null if it succeeds. Fails unless it is a CofferError with one of these
 * statuses.
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

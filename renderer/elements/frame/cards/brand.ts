import type { CardType } from '../../protocol.ts'

export type Brands = {
  /** The types that the digits may still belong to. */
  candidates: readonly CardType[]
  /** The type that the digits belong to, once that is certain. */
  brand: CardType | undefined
}

/** Returns the length of the pattern if all of it matches, 0 if `digits` ends before it, undefined for a mismatch. */
function countMatchedDigits(digits: string, pattern: CardType['patterns'][number]): number | undefined {
  const [low, high] = typeof pattern === 'number' ? [pattern, pattern] : pattern
  const { length } = String(low)
  const entered = digits.slice(0, length)
  const min = String(low).slice(0, entered.length)
  const max = String(high).slice(0, entered.length)
  if (entered < min || entered > max) return undefined
  return entered.length === length ? length : 0
}

/**
 * The card types that a number, or the start of one, may belong to. The brand is certain once every candidate
 * matches its full pattern; then the longest pattern wins.
 */
export function matchBrands(digits: string, types: readonly CardType[]): Brands {
  const matches = types.flatMap((type) => {
    const matched = type.patterns
      .map((pattern) => countMatchedDigits(digits, pattern))
      .find((at) => at !== undefined)
    return matched === undefined ? [] : [{ type, matched }]
  })
  const certain = digits !== '' && matches.every(({ matched }) => matched > 0)
  const best = matches.reduce<(typeof matches)[number] | undefined>(
    (leader, other) => (leader && leader.matched >= other.matched ? leader : other),
    undefined,
  )
  return { candidates: matches.map(({ type }) => type), brand: certain ? best?.type : undefined }
}

import type { CardType } from '../../protocol.ts'

export type Brands = {
  /** Every type that the digits may still belong to. */
  candidates: readonly CardType[]
  /** The one they belong to, once that is certain. */
  brand: CardType | undefined
}

/** How many digits of the pattern are matched in full, 0 if only its beginning is, undefined if the digits differ. */
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
 * The types that a card number, or its beginning, may belong to. The brand is certain once each of them is matched over
 * the full length of its pattern: then the longest pattern wins.
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

import type { CardType } from '../../protocol.ts'

export type Brands = {
  /** Every type that the digits may still belong to. */
  candidates: readonly CardType[]
  /** The one they belong to, once that is certain. */
  brand: CardType | undefined
}

/** How many digits of the pattern are matched in full, 0 if only its beginning is, undefined if the digits differ. */
function strength(digits: string, pattern: CardType['patterns'][number]): number | undefined {
  const [low, high] = typeof pattern === 'number' ? [pattern, pattern] : pattern
  const { length } = String(low)
  const typed = digits.slice(0, length)
  const least = String(low).slice(0, typed.length)
  const most = String(high).slice(0, typed.length)
  if (typed < least || typed > most) return undefined
  return typed.length === length ? length : 0
}

/**
 * The types that a card number, or its beginning, may belong to. The brand is certain once each of them is matched over
 * the full length of its pattern: then the longest pattern wins.
 */
export function brandsOf(digits: string, types: readonly CardType[]): Brands {
  const found = types.flatMap((type) => {
    const matched = type.patterns.map((pattern) => strength(digits, pattern)).find((at) => at !== undefined)
    return matched === undefined ? [] : [{ type, matched }]
  })
  const certain = digits !== '' && found.every(({ matched }) => matched > 0)
  const best = found.reduce<(typeof found)[number] | undefined>(
    (longest, other) => (longest && longest.matched >= other.matched ? longest : other),
    undefined,
  )
  return { candidates: found.map(({ type }) => type), brand: certain ? best?.type : undefined }
}

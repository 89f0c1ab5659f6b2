import type { CardAuthentication, CardFunding } from './brands.ts'
import { networkRanges, testCards } from './known-cards.ts'

/** What is known of the cards of a BIN; as an additional entry the brand may be outside the primary list. */
export type BinDetails = {
  brand: string | null
  funding: CardFunding | null
  authentication: CardAuthentication | null
}

/** Details of all numbers that start with a prefix from `from` to `to`, both of the same length. */
export type BinEntry = BinDetails & { from: string; to: string; additional?: BinDetails[] }

/** Finds the entry with the longest prefix of a card number, as the owner's imported BIN file does. */
export type BinLookup = (number: string) => BinEntry | undefined

/** Network ranges give the brand; publicly known test cards also give funding and authentication (T-16). */
export const builtinBins: readonly BinEntry[] = [
  ...networkRanges.flatMap(({ brand, ranges, also }) =>
    ranges.split(/\s+/).map((range) => {
      const [from = '', to = from] = range.split('-')
      const additional = also ? [{ brand: also, funding: null, authentication: null }] : undefined
      return { from, to, brand, funding: null, authentication: null, ...(additional && { additional }) }
    }),
  ),
  ...testCards.flatMap(({ brand, funding, authentication, numbers }) =>
    numbers.split(/\s+/).map((number) => ({
      from: number,
      to: number,
      brand,
      funding,
      authentication: authentication ?? null,
    })),
  ),
]

/** The entry of a card number (T-16): imported ones before built-in ones, then the longest prefix. */
export function lookupBin(number: string, imported: BinLookup | null): BinEntry | undefined {
  return imported?.(number) ?? matchBin(builtinBins, number)
}

/** The entry with the longest prefix of a number; of two with the same length, the first. */
export function matchBin(entries: readonly BinEntry[], number: string): BinEntry | undefined {
  let best: BinEntry | undefined
  for (const entry of entries) {
    const { length } = entry.from
    if (length > number.length || (best && length <= best.from.length)) continue
    const prefix = number.slice(0, length)
    if (entry.from <= prefix && prefix <= entry.to) best = entry
  }
  return best
}

import type { CardAuthentication, CardFunding, CardSegment } from './brands.ts'
import { networkRanges, testCards } from './known-cards.ts'

/** What is known about the issuer of the cards of a BIN, and about the cards. Unknown members are absent. */
export type IssuerFacts = {
  readonly issuer?: string
  /** Two letters. */
  readonly country?: string
  readonly segment?: CardSegment
  readonly product?: string
}

/** Details of the cards of a BIN. In an additional entry, the brand may be one that is not in `cardBrands`. */
export type BinDetails = {
  brand: string | null
  funding: CardFunding | null
  authentication: CardAuthentication | null
  facts?: IssuerFacts
}

/** Details of all numbers whose prefix is between `from` and `to`, which have the same length. */
export type BinEntry = BinDetails & { from: string; to: string; additional?: BinDetails[] }

/** Finds the entry with the longest matching prefix of a card number, for example in the owner's BIN file. */
export type BinLookup = (number: string) => BinEntry | undefined

/** The number ranges of the networks, which determine the brand (T-16). */
export const networkBins: readonly BinEntry[] = networkRanges.flatMap(({ brand, ranges, also }) =>
  parseRanges(ranges).map((range) => {
    const additional = also ? [{ brand: also, funding: null, authentication: null }] : undefined
    return { ...range, brand, funding: null, authentication: null, ...(additional && { additional }) }
  }),
)

/** The test cards, by full number, which also determine all other details (T-16). */
export const testCardBins: readonly BinEntry[] = testCards.flatMap(
  ({ brand, funding, authentication = null, issuer = 'Test Cards (TEST)', country, numbers }) => {
    const facts = { issuer, country, segment: 'Consumer', product: 'TEST' } as const
    return parseRanges(numbers).map((range) => ({ ...range, brand, funding, authentication, facts }))
  },
)

function parseRanges(text: string): { from: string; to: string }[] {
  return text.split(/\s+/).map((range) => {
    const [from = '', to = from] = range.split('-')
    return { from, to }
  })
}

/** Returns the entry for a card number (T-16): an imported one, a test card, or a network's range, in this order. */
export function findBinEntry(number: string, imported: BinLookup | null): BinEntry | undefined {
  return imported?.(number) ?? findTestCard(number) ?? matchBin(networkBins, number)
}

function findTestCard(number: string): BinEntry | undefined {
  return testCardBins.find(({ from, to }) => from.length === number.length && from <= number && number <= to)
}

/** Returns the entry with the longest matching prefix; the first of several with the same length. */
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

import { type BinDetails, type BinEntry, networkBins, testCardBins } from './bin-table.ts'

/** A range of card number prefixes; `from` and `to` have the same length. */
type BinRange = { readonly from: string; readonly to: string }

/** The details of some number ranges of a BIN. */
export type KnownCards = Pick<BinDetails, 'brand' | 'funding' | 'facts'> & {
  readonly ranges: readonly BinRange[]
}

/** The details of a six-digit BIN; `additional` has its cards of other brands. */
export type KnownBin = KnownCards & { readonly additional: readonly KnownCards[] }

/**
 * Looks up a six-digit BIN (rule M-01) in the owner's imported entries that overlap it, the test cards and the ranges
 * of the networks, as for a card number (rule T-16). The entry that includes the whole BIN determines the details. If
 * it has no funding or no facts, the BIN's narrower entries of the same brand determine them, provided that they all
 * agree. Brand and funding are null if unknown.
 */
export function lookUpKnownBin(bin: string, imported: readonly BinEntry[]): KnownBin {
  const importedMatch = findLongestPrefix(imported.filter((each) => includesBin(each, bin)))
  const candidates = importedMatch
    ? imported
    : [...imported, ...testCardBins.filter((each) => overlapsBin(each, bin)), ...findNetworkEntries(bin)]
  const entry =
    importedMatch ?? findLongestPrefix(candidates.filter((each) => includesBin(each, bin))) ?? candidates[0]
  if (!entry) return { brand: null, funding: null, ranges: [], additional: [] }
  const inside = candidates.filter((each) => each !== entry && !includesBin(each, bin))
  const narrower = inside.filter(({ brand }) => brand === entry.brand)
  const ranges = [intersectRange(entry, bin)]
  const facts = entry.facts ?? agreeOn(narrower, 'facts')
  return {
    brand: entry.brand,
    funding: entry.funding ?? agreeOn(narrower, 'funding') ?? null,
    ...(facts && { facts }),
    ranges,
    additional: groupKnownCards([
      ...(entry.additional ?? []).map((each) => ({ ...toKnown(each), ranges })),
      ...inside.flatMap((each) =>
        [each, ...(each.additional ?? [])].map((details) => ({
          ...toKnown(details),
          ranges: [intersectRange(each, bin)],
        })),
      ),
    ]).filter(({ brand }) => brand !== entry.brand),
  }
}

function toKnown({ brand, funding, facts }: BinDetails) {
  return { brand, funding, ...(facts && { facts }) }
}

/** Returns the value that all entries have for a member; undefined if they differ. */
function agreeOn<Name extends 'funding' | 'facts'>(
  entries: readonly BinEntry[],
  name: Name,
): BinEntry[Name] | undefined {
  const [first, ...others] = entries.map((each) => each[name])
  return others.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : undefined
}

function findNetworkEntries(bin: string): BinEntry[] {
  const entry = findLongestPrefix(networkBins.filter((each) => includesBin(each, bin)))
  return entry ? [entry] : []
}

function findLongestPrefix(entries: readonly BinEntry[]): BinEntry | undefined {
  return entries.reduce<BinEntry | undefined>(
    (best, each) => (best && best.from.length >= each.from.length ? best : each),
    undefined,
  )
}

/** Whether any number of the BIN is in the range. */
function overlapsBin({ from, to }: BinRange, bin: string): boolean {
  const digits = Math.max(from.length, bin.length)
  return (
    from.padEnd(digits, '0') <= bin.padEnd(digits, '9') && bin.padEnd(digits, '0') <= to.padEnd(digits, '9')
  )
}

/** Whether every number of the BIN is in the range. */
function includesBin({ from, to }: BinRange, bin: string): boolean {
  const digits = Math.max(from.length, bin.length)
  return (
    from.padEnd(digits, '0') <= bin.padEnd(digits, '0') && bin.padEnd(digits, '9') <= to.padEnd(digits, '9')
  )
}

/** The part of a range that is inside a BIN. The two must overlap. */
function intersectRange({ from, to }: BinRange, bin: string): BinRange {
  const digits = Math.max(from.length, bin.length)
  const [first, last] = [from.padEnd(digits, '0'), to.padEnd(digits, '9')]
  return {
    from: first.startsWith(bin) ? first : bin.padEnd(digits, '0'),
    to: last.startsWith(bin) ? last : bin.padEnd(digits, '9'),
  }
}

/** Merges cards with the same details. */
function groupKnownCards(cards: readonly KnownCards[]): KnownCards[] {
  const groups = Map.groupBy(cards, ({ ranges, ...details }) => JSON.stringify(details))
  return [...groups.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, ranges: [first, ...more].flatMap((each) => each.ranges) }] : [],
  )
}

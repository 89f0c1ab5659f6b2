import { type BinDetails, type BinEntry, networkBins, testCardBins } from './bin-table.ts'

/** A range of card number prefixes; `from` and `to` have the same length. */
type BinRange = { readonly from: string; readonly to: string }

/** Brand and funding of some number ranges of a BIN. */
export type KnownCards = Pick<BinDetails, 'brand' | 'funding'> & { readonly ranges: readonly BinRange[] }

/** Brand and funding of a six-digit BIN; `additional` has its cards of other brands. */
export type KnownBin = KnownCards & { readonly additional: readonly KnownCards[] }

/**
 * Looks up a six-digit BIN (rule M-01) in the owner's imported entries that overlap it, the test cards and the ranges
 * of the networks, as for a card number (rule T-16). The entry that includes the whole BIN determines brand and
 * funding. If it has no funding, the BIN's narrower entries of the same brand determine the funding, provided that they
 * all agree. Members are null if unknown.
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
  const fundings = new Set(inside.flatMap((each) => (each.brand === entry.brand ? [each.funding] : [])))
  const ranges = [intersectRange(entry, bin)]
  return {
    brand: entry.brand,
    funding: entry.funding ?? (fundings.size === 1 ? ([...fundings][0] ?? null) : null),
    ranges,
    additional: groupKnownCards([
      ...(entry.additional ?? []).map(({ brand, funding }) => ({ brand, funding, ranges })),
      ...inside.flatMap((each) =>
        [each, ...(each.additional ?? [])].map(({ brand, funding }) => ({
          brand,
          funding,
          ranges: [intersectRange(each, bin)],
        })),
      ),
    ]).filter(({ brand }) => brand !== entry.brand),
  }
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

/** Merges cards of the same brand and funding. */
function groupKnownCards(cards: readonly KnownCards[]): KnownCards[] {
  const groups = Map.groupBy(cards, ({ brand, funding }) => `${brand} ${funding}`)
  return [...groups.values()].map(([first, ...more]) => ({
    brand: first?.brand ?? null,
    funding: first?.funding ?? null,
    ranges: [first, ...more].flatMap((each) => each?.ranges ?? []),
  }))
}

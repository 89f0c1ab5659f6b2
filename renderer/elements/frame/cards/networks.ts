import type { BinInfo } from '../../protocol.ts'

type CardDetailsJson = { readonly [member: string]: unknown }

const isObject = (value: unknown): value is CardDetailsJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const toObjectList = (value: unknown): readonly CardDetailsJson[] =>
  Array.isArray(value) ? value.filter(isObject) : []

function toSlug(brand: string): string {
  return brand.toLowerCase().replace(/[ _]/g, '-')
}

/** Whether the digits are in a range of the entry. An entry without ranges matches any digits. */
function matchesRange(entry: CardDetailsJson, digits: string): boolean {
  const ranges = toObjectList(entry.binRange ?? entry.bin_range)
  if (ranges.length === 0) return true
  return ranges.some((range) => {
    const min = String(range.binMin ?? range.bin_min ?? '')
    const max = String(range.binMax ?? range.bin_max ?? '')
    const length = Math.min(digits.length, min.length, max.length)
    const entered = digits.slice(0, length)
    return entered >= min.slice(0, length) && entered <= max.slice(0, length)
  })
}

function toBrandInfo(entry: CardDetailsJson): object {
  const { brand, funding, issuer } = entry
  return {
    ...(brand ? { brand } : {}),
    ...(funding ? { funding } : {}),
    ...(isObject(issuer) ? { issuer } : {}),
  }
}

/** Reduces the details of a BIN to the entries that match the typed digits; undefined if there are none. */
export function toBinInfo(details: unknown, digits: string): BinInfo | undefined {
  if (!isObject(details)) return undefined
  const main = details.brand && matchesRange(details, digits) ? details : {}
  const additional = toObjectList(details.additional).filter(
    (entry) => entry.brand && matchesRange(entry, digits),
  )
  const info = {
    ...toBrandInfo(main),
    ...(typeof main.segment === 'string' && { segment: main.segment }),
    ...(additional.length > 0 && { additional: additional.map(toBrandInfo) }),
  }
  return Object.keys(info).length > 0 ? info : undefined
}

/** The networks of a co-badged card, for the person to choose from; empty if there is no choice. */
export function listNetworks(info: BinInfo | undefined, supported: readonly string[]): readonly string[] {
  if (!info || supported.length === 0) return []
  const main = info.brand ? [toSlug(info.brand)] : []
  const others = (info.additional ?? []).flatMap(({ brand }) => (brand ? [toSlug(brand)] : []))
  const offered = [...new Set([...main, ...others.filter((brand) => supported.includes(brand))])]
  return offered.length > 1 ? offered : []
}

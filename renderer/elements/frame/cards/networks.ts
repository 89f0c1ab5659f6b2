import type { BinInfo } from '../../protocol.ts'

type Json = { readonly [member: string]: unknown }

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** A brand as options and events name it. */
function slugOf(brand: string): string {
  return brand.toLowerCase().replace(/[ _]/g, '-')
}

/** Whether the digits agree with a range of the entry; one without ranges agrees with all. */
function covers(entry: Json, digits: string): boolean {
  const ranges = listOf(entry.binRange ?? entry.bin_range)
  if (ranges.length === 0) return true
  return ranges.some((range) => {
    const least = String(range.binMin ?? range.bin_min ?? '')
    const most = String(range.binMax ?? range.bin_max ?? '')
    const length = Math.min(digits.length, least.length, most.length)
    const typed = digits.slice(0, length)
    return typed >= least.slice(0, length) && typed <= most.slice(0, length)
  })
}

function brandOf(entry: Json): object {
  const { brand, funding, issuer } = entry
  return {
    ...(brand ? { brand } : {}),
    ...(funding ? { funding } : {}),
    ...(isObject(issuer) ? { issuer } : {}),
  }
}

/** What a look-up of a number's first six digits says of the digits typed; undefined if nothing. */
export function binInfoOf(details: unknown, digits: string): BinInfo | undefined {
  if (!isObject(details)) return undefined
  const main = details.brand && covers(details, digits) ? details : {}
  const additional = listOf(details.additional).filter((entry) => entry.brand && covers(entry, digits))
  const info = {
    ...brandOf(main),
    ...(typeof main.segment === 'string' && { segment: main.segment }),
    ...(additional.length > 0 && { additional: additional.map(brandOf) }),
  }
  return Object.keys(info).length > 0 ? info : undefined
}

/** The networks that a person may choose between; none if there is nothing to choose. */
export function networksOf(info: BinInfo | undefined, supported: readonly string[]): readonly string[] {
  if (!info || supported.length === 0) return []
  const main = info.brand ? [slugOf(info.brand)] : []
  const others = (info.additional ?? []).flatMap(({ brand }) => (brand ? [slugOf(brand)] : []))
  const offered = [...new Set([...main, ...others.filter((brand) => supported.includes(brand))])]
  return offered.length > 1 ? offered : []
}

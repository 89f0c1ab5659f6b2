import type { Json } from '../../../../shared/json.ts'
import type { CardDetails } from '../../../../shared/schemas/token.ts'
import { type BinDetails, type BinLookup, findBinEntry, type IssuerFacts } from './bin-table.ts'
import { toCountry } from './countries.ts'

/**
 * Returns the `card` object for valid `card` data or a valid card number (T-16). `imported` looks up the owner's
 * imported BINs. Brand, funding and authentication are null if the number is unknown. Everything else that is unknown
 * is left out.
 */
export function toCardDetails(
  data: string | { number: string; expiration_month?: Json; expiration_year?: Json },
  imported: BinLookup | null,
): CardDetails {
  const { number, expiration_month, expiration_year } =
    typeof data === 'string' ? { number: data, expiration_month: null, expiration_year: null } : data
  const known = findBinEntry(number, imported)
  return {
    bin: number.slice(0, number.length < 16 ? 6 : 8),
    last4: number.slice(-4),
    ...((expiration_month ?? null) !== null && { expiration_month: Number(expiration_month) }),
    ...((expiration_year ?? null) !== null && { expiration_year: Number(expiration_year) }),
    brand: known?.brand ?? null,
    funding: known?.funding ?? null,
    authentication: known?.authentication ?? null,
    ...toIssuerDetails(known?.facts ?? {}),
    ...(known?.additional && { additional: known.additional.map(toAdditionalCard) }),
  }
}

function toIssuerDetails(facts: IssuerFacts) {
  const { country, segment, product } = facts
  return {
    ...toIssuer(facts),
    ...(country !== undefined && { issuer_country: toCountry(country) }),
    ...(segment !== undefined && { segment }),
    ...(product !== undefined && { product: { code: product } }),
  }
}

function toIssuer({ issuer: name, country }: IssuerFacts) {
  if (name === undefined && country === undefined) return {}
  return { issuer: { ...(country !== undefined && { country }), ...(name !== undefined && { name }) } }
}

function toAdditionalCard({ brand, funding, authentication, facts = {} }: BinDetails) {
  return { brand, funding, authentication, ...toIssuer(facts) }
}

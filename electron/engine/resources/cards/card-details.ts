import type { Json } from '../../../../shared/json.ts'
import { type BinDetails, type BinLookup, findBinEntry } from './bin-table.ts'

/** The `card` object of a token (T-16). */
export type CardDetails = BinDetails & {
  bin: string
  last4: string
  expiration_month?: number
  expiration_year?: number
  additional?: BinDetails[]
}

/**
 * Returns the `card` object for valid `card` data or a valid card number (T-16). `imported` looks up the owner's
 * imported BINs. Brand, funding and authentication are null if the number is unknown; an absent expiry date is left
 * out.
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
    ...(known?.additional && { additional: known.additional }),
  }
}

/** The values of the API for brand, funding, authentication and segment (T-16). */
export const cardBrands = [
  'american-express',
  'diners-club',
  'discover',
  'ebt',
  'elo',
  'hipercard',
  'jcb',
  'mastercard',
  'mir',
  'private-label',
  'proprietary',
  'unionpay',
  'visa',
] as const
export const cardFundings = ['credit', 'debit', 'prepaid'] as const
export const cardAuthentications = ['sca_required'] as const
export const cardSegments = ['Business', 'Commercial', 'Consumer', 'Government'] as const

export type CardBrand = (typeof cardBrands)[number]
export type CardFunding = (typeof cardFundings)[number]
export type CardAuthentication = (typeof cardAuthentications)[number]
export type CardSegment = (typeof cardSegments)[number]

const specialBrandNames: Readonly<Record<string, string>> = { ebt: 'EBT', jcb: 'JCB', unionpay: 'UnionPay' }

/** Formats a brand or a kind of funding for card details, such as `American Express` (rule M-01). */
export function formatCardTerm(name: string): string {
  const titleCased = name.replaceAll('-', ' ').replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  return specialBrandNames[name] ?? titleCased
}

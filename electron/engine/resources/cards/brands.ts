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

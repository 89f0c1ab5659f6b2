type SchemeInfo = {
  /** The network's name in 3D Secure. */
  readonly name: string
  readonly directory_server_id: string
  /** The electronic commerce indicators for the results successful, attempted, and any other. */
  readonly eci: readonly [successful: string, attempted: string, neither: string]
}

const DEFAULT_ECI = ['05', '06', '07'] as const

/** The card networks that support 3D Secure, by brand. */
const schemes: Readonly<Record<string, SchemeInfo>> = {
  visa: { name: 'Visa', directory_server_id: 'M000000003', eci: DEFAULT_ECI },
  mastercard: { name: 'Mastercard', directory_server_id: 'M000000004', eci: ['02', '01', '00'] },
  'american-express': { name: 'American Express', directory_server_id: 'M000000025', eci: DEFAULT_ECI },
  discover: { name: 'Discover', directory_server_id: 'M000000152', eci: DEFAULT_ECI },
  'diners-club': { name: 'Diners Club', directory_server_id: 'M000000152', eci: DEFAULT_ECI },
  jcb: { name: 'JCB', directory_server_id: 'M000000065', eci: DEFAULT_ECI },
  unionpay: { name: 'UnionPay', directory_server_id: 'M000000333', eci: DEFAULT_ECI },
  elo: { name: 'Elo', directory_server_id: 'M000000651', eci: DEFAULT_ECI },
  // Always on a card together with another brand, whose directory server an app names.
  'cartes-bancaires': { name: 'Cartes Bancaires', directory_server_id: '', eci: DEFAULT_ECI },
  mir: { name: 'Mir', directory_server_id: 'M000000658', eci: DEFAULT_ECI },
}

/** Finds the 3D Secure details of a brand; undefined if its network does not support 3D Secure. */
export function findScheme(brand: string): SchemeInfo | undefined {
  return schemes[brand]
}

/** Returns the name of a brand in 3D Secure, or the brand itself if its network does not support 3D Secure. */
export function getBrandName(brand: string): string {
  return schemes[brand]?.name ?? brand
}

type Facts = {
  /** As 3D Secure writes it. */
  readonly name: string
  readonly directory_server_id: string
  /** The indicator for e-commerce: authenticated, attempted, neither. */
  readonly eci: readonly [successful: string, attempted: string, neither: string]
}

const most = ['05', '06', '07'] as const

/** The networks that have 3D Secure. */
const networks: Readonly<Record<string, Facts>> = {
  visa: { name: 'Visa', directory_server_id: 'M000000003', eci: most },
  mastercard: { name: 'Mastercard', directory_server_id: 'M000000004', eci: ['02', '01', '00'] },
  'american-express': { name: 'American Express', directory_server_id: 'M000000025', eci: most },
  discover: { name: 'Discover', directory_server_id: 'M000000152', eci: most },
  'diners-club': { name: 'Diners Club', directory_server_id: 'M000000152', eci: most },
  jcb: { name: 'JCB', directory_server_id: 'M000000065', eci: most },
  unionpay: { name: 'UnionPay', directory_server_id: 'M000000333', eci: most },
  elo: { name: 'Elo', directory_server_id: 'M000000651', eci: most },
  mir: { name: 'Mir', directory_server_id: 'M000000658', eci: most },
}

/** What 3D Secure knows of a brand; undefined if its network has no 3D Secure. */
export function networkOf(brand: string): Facts | undefined {
  return networks[brand]
}

/** A brand as 3D Secure writes it. */
export function brandName(brand: string): string {
  return networks[brand]?.name ?? brand
}

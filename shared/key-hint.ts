const PREFIX = 'key_local_pvt_'.length

/**
 * What tells a key apart from others: its prefix and its last four characters, such as `key_local_pvt_…x7Qd`.
 * SECURITY: no more than that; what is left of a key that Coffer makes is 166 random bits.
 */
export function hintOf(key: string): string {
  return `${key.slice(0, PREFIX)}…${key.slice(-4)}`
}

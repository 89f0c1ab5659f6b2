const PREFIX = 'key_local_pvt_'.length

/**
 * What tells a key apart from others: its prefix and last four characters, such as `key_local_pvt_…x7Qd`.
 * SECURITY: nothing more; the rest of a key that Coffer generates is 166 random bits.
 */
export function hintOf(key: string): string {
  return `${key.slice(0, PREFIX)}…${key.slice(-4)}`
}

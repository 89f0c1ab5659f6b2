/** Matches a key anywhere in a string, in the format of Coffer and the hosted service. */
const keys = /key_(?:[a-z]+_){1,3}[A-Za-z0-9]{16,}/g

/** Replaces each key in a string with `key_…`. */
export function redactKeys(text: string): string {
  return text.includes('key_') ? text.replace(keys, 'key_…') : text
}

const PREFIX = 'key_local_pvt_'.length

/**
 * Returns a hint that identifies a key: its prefix and last four characters, such as `key_local_pvt_…x7Qd`. SECURITY:
 * the hint contains nothing else of the key. The rest of a key that Coffer generates has 166 random bits.
 */
export function formatKeyHint(key: string): string {
  return `${key.slice(0, PREFIX)}…${key.slice(-4)}`
}

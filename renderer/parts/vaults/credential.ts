/** A way to open a vault. */
export type Way = 'keychain' | 'passphrase' | 'recovery'

/** What opens a vault, as the host takes it. */
export function credentialOf(way: Way, typed: string) {
  if (way === 'keychain') return { keychain: true as const }
  return way === 'passphrase' ? { passphrase: typed } : { recovery_key: typed }
}

/** A way to open a vault. */
export type CredentialKind = 'keychain' | 'passphrase' | 'recovery'

/** What opens a vault, as the host takes it. */
export function toCredential(kind: CredentialKind, input: string) {
  if (kind === 'keychain') return { keychain: true as const }
  return kind === 'passphrase' ? { passphrase: input } : { recovery_key: input }
}

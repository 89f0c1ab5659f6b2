export type CredentialKind = 'keychain' | 'passphrase' | 'recovery'

/** The credential in the form that the host expects. */
export function toCredential(kind: CredentialKind, input: string) {
  if (kind === 'keychain') return { keychain: true as const }
  return kind === 'passphrase' ? { passphrase: input } : { recovery_key: input }
}

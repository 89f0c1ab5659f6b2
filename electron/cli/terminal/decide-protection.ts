/** What the CLI knows before it creates or opens a vault. */
export type ProtectionContext = {
  /** How the vault is protected; `none` if it does not exist yet. */
  readonly vault: 'none' | 'keychain' | 'passphrase'
  /** For a new vault, whether the keychain works; for an existing one, whether it returned the vault's secret. */
  readonly keychain: boolean
  /** A sentence that says why the keychain cannot be used. */
  readonly keychain_problem?: string
  /** Whether there is a terminal to prompt on. */
  readonly terminal: boolean
  /** Whether `COFFER_PASSPHRASE` is set. */
  readonly environment: boolean
}

export type Decision =
  | { readonly use: 'keychain' | 'environment' | 'ask' | 'ephemeral' }
  | { readonly use: 'nothing'; readonly reason: string }

/**
 * Decides how to protect a new vault or open an existing one. SECURITY: an in-memory vault is used only if the vault
 * does not exist. If an existing vault cannot be opened, the result is an error that says what to do.
 */
export function decideProtection({ vault, keychain, terminal, environment }: ProtectionContext): Decision {
  switch (vault) {
    case 'none':
      if (environment) return { use: 'environment' }
      if (keychain) return { use: 'keychain' }
      return { use: terminal ? 'ask' : 'ephemeral' }
    case 'keychain':
      if (keychain) return { use: 'keychain' }
      if (terminal) return { use: 'ask' }
      if (environment) return { use: 'environment' }
      return {
        use: 'nothing',
        reason:
          'The vault exists, but the keychain does not open it. Unlock the keychain, or open the vault in a terminal with its recovery key, or set COFFER_PASSPHRASE to the recovery key. Nothing was changed.',
      }
    case 'passphrase':
      if (environment) return { use: 'environment' }
      if (terminal) return { use: 'ask' }
      return {
        use: 'nothing',
        reason:
          'The vault exists and is protected by a passphrase. Set COFFER_PASSPHRASE, or open it in a terminal. Nothing was changed.',
      }
  }
}

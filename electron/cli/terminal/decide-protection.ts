/** What the command line found out before it makes or opens a vault. */
export type Situation = {
  /** How the vault is protected, or that there is none yet. */
  readonly vault: 'none' | 'keychain' | 'passphrase'
  /** For a new vault: the keychain keeps what is written. For one that exists: it gave the vault's secret. */
  readonly keychain: boolean
  /** Why it does not, in a sentence. */
  readonly keychain_problem?: string
  /** Somebody can be asked. */
  readonly terminal: boolean
  /** `COFFER_PASSPHRASE` is set. */
  readonly environment: boolean
}

export type Decision =
  | { readonly use: 'keychain' | 'environment' | 'ask' | 'ephemeral' }
  | { readonly use: 'nothing'; readonly reason: string }

/**
 * How to protect a new vault or open one that exists. SECURITY: an in-memory vault only ever stands in for a vault that
 * does not exist; one that exists and cannot be opened is an error that says what to do.
 */
export function decideProtection({ vault, keychain, terminal, environment }: Situation): Decision {
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

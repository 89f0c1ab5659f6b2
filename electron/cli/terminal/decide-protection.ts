/** What the CLI knows before it creates or opens a vault. */
export type ProtectionContext = {
  /** How the vault is protected; `none` if it does not exist yet. */
  readonly vault: 'none' | 'keychain' | 'passphrase'
  /** For a new vault, whether the keychain works; for an existing one, whether it returned the vault's secret. */
  readonly keychain: boolean
  /** A sentence that says why the keychain cannot be used. */
  readonly keychain_problem?: string
  readonly terminal: boolean
  readonly environment: boolean
}

export type Decision =
  | { readonly use: 'keychain' | 'environment' | 'ask' | 'ephemeral' }
  | { readonly use: 'nothing'; readonly reason: string }

/**
 * Decides how to protect a new vault or open an existing one. SECURITY: an in-memory vault is used only if the vault
 * does not exist. If an existing vault cannot be opened, the result is an error that says what to do.
 */
export function decideProtection(context: ProtectionContext): Decision {
  const { order, otherwise } = preferences[context.vault]
  const available = { keychain: context.keychain, environment: context.environment, ask: context.terminal }
  const use = order.find((each) => available[each])
  return use ? { use } : otherwise
}

/** For each state of the vault, what to use in order of preference, and what to do if none of it is available. */
const preferences: Readonly<
  Record<
    ProtectionContext['vault'],
    { readonly order: readonly ('keychain' | 'environment' | 'ask')[]; readonly otherwise: Decision }
  >
> = {
  none: { order: ['environment', 'keychain', 'ask'], otherwise: { use: 'ephemeral' } },
  keychain: {
    order: ['keychain', 'ask', 'environment'],
    otherwise: {
      use: 'nothing',
      reason:
        'The vault exists, but the keychain does not open it. Unlock the keychain, or open the vault in a terminal with its recovery key, or set COFFER_PASSPHRASE to the recovery key. Nothing was changed.',
    },
  },
  passphrase: {
    order: ['environment', 'ask'],
    otherwise: {
      use: 'nothing',
      reason:
        'The vault exists and is protected by a passphrase. Set COFFER_PASSPHRASE, or open it in a terminal. Nothing was changed.',
    },
  },
}

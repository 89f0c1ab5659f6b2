import { expect, test } from 'vitest'
import { decideProtection } from '../../electron/cli/terminal/decide-protection.ts'

const yes = true
const no = false

test.each([
  // vault, keychain, terminal, environment, use
  ['none', no, no, no, 'ephemeral'],
  ['none', no, no, yes, 'environment'],
  ['none', no, yes, no, 'ask'],
  ['none', no, yes, yes, 'environment'],
  ['none', yes, no, no, 'keychain'],
  ['none', yes, no, yes, 'environment'],
  ['none', yes, yes, no, 'keychain'],
  ['none', yes, yes, yes, 'environment'],
  ['keychain', no, no, no, 'nothing'],
  ['keychain', no, no, yes, 'environment'],
  ['keychain', no, yes, no, 'ask'],
  ['keychain', no, yes, yes, 'ask'],
  ['keychain', yes, no, no, 'keychain'],
  ['keychain', yes, no, yes, 'keychain'],
  ['keychain', yes, yes, no, 'keychain'],
  ['keychain', yes, yes, yes, 'keychain'],
  ['passphrase', no, no, no, 'nothing'],
  ['passphrase', no, no, yes, 'environment'],
  ['passphrase', no, yes, no, 'ask'],
  ['passphrase', no, yes, yes, 'environment'],
  ['passphrase', yes, no, no, 'nothing'],
  ['passphrase', yes, no, yes, 'environment'],
  ['passphrase', yes, yes, no, 'ask'],
  ['passphrase', yes, yes, yes, 'environment'],
] as const)(
  'X-33 decideProtection: vault %s, keychain %s, terminal %s, COFFER_PASSPHRASE %s → %s',
  (vault, keychain, terminal, environment, use) => {
    const decision = decideProtection({ vault, keychain, terminal, environment })
    expect(decision.use).toBe(use)
    if (decision.use === 'nothing') expect(decision.reason).toMatch(/COFFER_PASSPHRASE.*Nothing was changed/)
  },
)

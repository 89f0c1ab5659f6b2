import { CofferError } from '../../shared/errors.ts'
import type { EngineOptions } from '../engine/engine.ts'
import { createVault } from '../host/create-vault.ts'
import { type Credential, credentialOf } from '../host/credential.ts'
import { type Decision, decideProtection } from '../host/decide-protection.ts'
import { createEphemeral } from '../host/ephemeral.ts'
import type { Header } from '../host/header.ts'
import { openVault } from '../host/open-vault.ts'
import type { Protection } from '../host/protection.ts'
import { situationOf, situationOfHeader } from '../host/situation.ts'
import type { OpenVault } from '../host/vault.ts'
import type { Place } from './common.ts'
import { askNewPassphrase, askSecret, hasTerminal } from './prompt.ts'

export type Unlocked = {
  readonly vault: OpenVault
  /** `created`: new just now; `ephemeral`: new and gone when the process ends. */
  readonly state: 'opened' | 'created' | 'ephemeral'
  readonly recovery_key?: string
}

const WHY_EPHEMERAL =
  'There is no keychain, no terminal to ask for a passphrase and no COFFER_PASSPHRASE, so this vault lives in memory: it is gone when Coffer stops.'

/** What to say when an in-memory vault stands in for a kept one. */
export const ephemeralNotice = WHY_EPHEMERAL

function passphraseFromEnvironment(): string | undefined {
  return process.env.COFFER_PASSPHRASE || undefined
}

async function decide({ dataDir, vault }: Place): Promise<{ exists: boolean; decision: Decision }> {
  const situation = await situationOf(dataDir, vault, {
    terminal: hasTerminal(),
    environment: passphraseFromEnvironment() !== undefined,
  })
  return { exists: situation.vault !== 'none', decision: decideProtection(situation) }
}

/** Opens the vault of a place, or makes it where there is none and `create` allows it. */
export async function unlock(
  place: Place,
  options: { create: 'no' | 'kept' | 'any'; engine?: EngineOptions },
): Promise<Unlocked> {
  const { exists, decision } = await decide(place)
  const engine = options.engine ? { engine: options.engine } : {}
  const target = { dataDir: place.dataDir, name: place.vault, ...engine }
  if (exists) {
    return { vault: await openVault({ ...target, with: await credentialFor(decision) }), state: 'opened' }
  }
  if (options.create === 'no') {
    throw new CofferError(
      'not_found',
      `There is no vault ${place.vault} in ${place.dataDir}. Make one with: coffer init`,
    )
  }
  if (decision.use === 'ephemeral') {
    if (options.create === 'any') return { vault: createEphemeral(options.engine), state: 'ephemeral' }
    throw new CofferError(
      'invalid',
      'There is no keychain and no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.',
    )
  }
  const made = await createVault({ ...target, protection: await protectionFor(decision) })
  return { vault: made.vault, state: 'created', recovery_key: made.recovery_key }
}

/** What opens a vault that exists, or a backup, with this header: as `unlock` finds it. */
export async function credentialOfHeader(header: Header): Promise<Credential> {
  const situation = await situationOfHeader(header, {
    terminal: hasTerminal(),
    environment: passphraseFromEnvironment() !== undefined,
  })
  return credentialFor(decideProtection(situation))
}

async function credentialFor(decision: Decision): Promise<Credential> {
  switch (decision.use) {
    case 'keychain':
      return { keychain: true }
    case 'environment':
      return credentialOf(passphraseFromEnvironment() ?? '')
    case 'ask':
      return credentialOf(await askSecret('Passphrase or recovery key: '))
    case 'nothing':
      throw new CofferError('locked', decision.reason)
    case 'ephemeral':
      throw new CofferError('internal', 'A vault that exists is never replaced by one in memory.')
  }
}

async function protectionFor(decision: Decision): Promise<Protection> {
  if (decision.use === 'keychain') return { keychain: true }
  if (decision.use === 'environment') return { passphrase: passphraseFromEnvironment() ?? '' }
  return { passphrase: await askNewPassphrase() }
}

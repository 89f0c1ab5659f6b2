import { CofferError } from '../../../shared/errors.ts'
import type { EngineOptions } from '../../engine/engine.ts'
import { type Header, readHeader } from '../../host/files/header.ts'
import { type VaultFiles, vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
import { type Credential, credentialOf, masterOf } from '../../host/keys/credential.ts'
import type { Protection } from '../../host/keys/protection.ts'
import { createVault } from '../../host/vault/create-vault.ts'
import { createEphemeral } from '../../host/vault/ephemeral.ts'
import { openVault } from '../../host/vault/open-vault.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { note, type Place } from './common.ts'
import { decideProtection } from './decide-protection.ts'
import { existing } from './existing.ts'
import { askPassphrase } from './new-protection.ts'
import { askSecret, hasTerminal, withoutInput } from './prompt.ts'
import { situationOf, situationOfHeader } from './situation.ts'

export type Unlocked = {
  readonly vault: OpenVault
  /** `created`: new just now; `ephemeral`: new and gone when the process ends. */
  readonly state: 'opened' | 'created' | 'ephemeral'
  readonly recovery_key?: string
}

/** How often a wrong passphrase is asked again. `attempts.ts` makes the wait grow from here on. */
const TRIES = 3

/** What to say when an in-memory vault stands in for a kept one. */
export const ephemeralNotice =
  'There is no keychain, no terminal to ask for a passphrase and no COFFER_PASSPHRASE. So this vault lives in memory: it is gone when Coffer stops.'

function passphraseFromEnvironment(): string | undefined {
  return process.env.COFFER_PASSPHRASE || undefined
}

function circumstances() {
  return { terminal: hasTerminal(), environment: passphraseFromEnvironment() !== undefined }
}

/** Opens the vault of a place, or makes it where there is none and `create` allows it. */
export async function unlock(
  place: Place,
  options: { create: 'no' | 'kept' | 'any'; engine?: EngineOptions },
): Promise<Unlocked> {
  const engine = options.engine ? { engine: options.engine } : {}
  const target = { dataDir: place.dataDir, name: place.vault, ...engine }
  const files = options.create === 'no' ? existing(place) : vaultFiles(place.dataDir, place.vault)
  if (vaultExists(files)) {
    const open = (credential: Credential) => openVault({ ...target, with: credential })
    return { vault: await withCredential(readHeader(files.header), open), state: 'opened' }
  }
  return makeVault(place, target, options)
}

async function makeVault(
  place: Place,
  target: { dataDir: string; name: string; engine?: EngineOptions },
  { create, engine }: Parameters<typeof unlock>[1],
): Promise<Unlocked> {
  const situation = await situationOf(place.dataDir, place.vault, circumstances())
  const { use } = decideProtection(situation)
  if (use === 'ephemeral') {
    if (create === 'any') return { vault: createEphemeral(engine), state: 'ephemeral' }
    throw new CofferError(
      'invalid',
      'There is no keychain and no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.',
    )
  }
  let protection: Protection = { keychain: true }
  if (use === 'environment') protection = { passphrase: passphraseFromEnvironment() ?? '' }
  if (use === 'ask') {
    note(`${situation.keychain_problem ?? ''} A passphrase will protect the vault.`.trimStart())
    protection = { passphrase: await askPassphrase('Passphrase for the new vault') }
  }
  const made = await createVault({ ...target, protection })
  return { vault: made.vault, state: 'created', recovery_key: made.recovery_key }
}

/**
 * Does something with what opens a vault, or a backup, that has this header. What somebody typed wrongly is asked again
 * on the terminal, three times in all; then, and without a terminal at once, it throws what `use` throws.
 */
export async function withCredential<T>(
  header: Header,
  use: (credential: Credential) => Promise<T>,
): Promise<T> {
  const situation = await situationOfHeader(header, circumstances())
  const decision = decideProtection(situation)
  switch (decision.use) {
    case 'keychain':
      return use({ keychain: true })
    case 'environment':
      return use(credentialOf(passphraseFromEnvironment() ?? ''))
    case 'nothing':
      throw new CofferError('locked', decision.reason)
    case 'ephemeral':
      throw new CofferError('internal', 'A vault that exists is never replaced by one in memory.')
    case 'ask':
      note(situation.keychain_problem ?? `The vault ${header.name} is protected by a passphrase.`)
      return withTyped(header.passphrase ? 'Passphrase or recovery key: ' : 'Recovery key: ', use)
  }
}

async function withTyped<T>(question: string, use: (credential: Credential) => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    const credential = credentialOf(await askSecret(question))
    try {
      return await withoutInput(() => use(credential))
    } catch (error) {
      if (left === 0 || !isMistyped(error)) throw error
      note(`${error.message} Try again.`)
    }
  }
}

/** `invalid`: a passphrase for a vault that has none. */
function isMistyped(error: unknown): error is CofferError {
  return error instanceof CofferError && (error.code === 'unauthenticated' || error.code === 'invalid')
}

/** What opens a vault that exists, or a backup, with this header, tried first. Throws what `masterOf` says of it. */
export function credentialOfHeader(header: Header): Promise<Credential> {
  return withCredential(header, async (credential) => {
    const master = await masterOf(header, credential)
    master.fill(0)
    return credential
  })
}

/** The same for the vault of a place. */
export function credentialOfVault(files: VaultFiles): Promise<Credential> {
  return credentialOfHeader(readHeader(files.header))
}

import { CofferError } from '../../../shared/errors.ts'
import type { EngineOptions } from '../../engine/engine.ts'
import { readHeader } from '../../host/files/header.ts'
import { isMissing } from '../../host/files/known-vaults.ts'
import type { Parsed } from '../../host/files/located.ts'
import { existingVault, type VaultFiles, vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
import type { NewVault, NewVaultInput } from '../../host/first-data/new-vault.ts'
import type { Seed } from '../../host/first-data/seed/seed.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { keychainProblem } from '../../host/keys/keychain.ts'
import type { Protection } from '../../host/keys/protection.ts'
import { type AcceptedLoss, openVault } from '../../host/vault/open-vault.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { hintFor } from '../hint.ts'
import { sayIfLost } from './broken-output.ts'
import { note, type Place } from './common.ts'
import { decideProtection, type Situation } from './decide-protection.ts'
import { circumstances, findKey, type Key } from './find-key.ts'
import { askPassphrase } from './new-protection.ts'
import { seedProgress, stoppable } from './progress.ts'
import { passphraseGiven } from './secrets.ts'

const ephemeralNotice =
  'There is no terminal to ask for a passphrase and no COFFER_PASSPHRASE, so this vault lives in memory: it is gone when Coffer stops.'
const nobodyToAsk = 'There is no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.'

/** The files of a place's vault. Throws `not_found` with the command that creates one. */
export function existing(place: Place): VaultFiles {
  try {
    return existingVault(place.dataDir, place.vault)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError('not_found', `${error.message} Create it with: ${hintFor(place, 'init')}`)
  }
}

/** The key of a place's vault. Throws what `existing` and `findKey` throw. */
export function keyOfPlace(place: Place): Promise<Key> {
  return findKey(readHeader(existing(place).header))
}

/** Opens a place's vault and returns the credential used. Throws what `keyOfPlace` and `openVault` throw. */
export async function unlockExisting(
  place: Place,
  engine: EngineOptions = {},
  accept_loss?: AcceptedLoss,
): Promise<{ vault: OpenVault; credential: Credential }> {
  using key = await keyOfPlace(place)
  const { dataDir, vault: name } = place
  const vault = await openVault({ dataDir, name, with: key, engine, accept_loss })
  vault.onLost = note
  if (vault.upgrade !== undefined) note(vault.upgrade)
  return { vault, credential: key.credential }
}

/** The same without the credential: `await using vault = await openExisting(place)`. */
export async function openExisting(place: Place): Promise<OpenVault> {
  return (await unlockExisting(place)).vault
}

/** `ephemeral`: gone when the process ends. */
type Made = NewVault & { readonly state: 'created' | 'ephemeral' }
export type Opened = { readonly state: 'opened'; readonly vault: OpenVault } | Made

/**
 * Opens a place's vault, or creates it where there never was one. Throws `not_found` where it is gone, and what
 * `unlockExisting` and `make` throw.
 */
export async function openOrMake(place: Place, options: MakeOptions): Promise<Opened> {
  if (isMissing(place.dataDir, place.vault)) throw missing(place)
  if (!vaultExists(vaultFiles(place.dataDir, place.vault))) {
    const { accept_loss: _, ...making } = options
    return make(place, making)
  }
  const { vault } = await unlockExisting(place, options.engine, options.accept_loss)
  return { state: 'opened', vault }
}

/** SECURITY: a new vault in the place of one that is gone would look like the old one, empty. */
function missing(place: Place): CofferError {
  const { folder } = vaultFiles(place.dataDir, place.vault)
  return new CofferError(
    'not_found',
    `The vault ${place.vault} is gone from ${folder}. Put the folder back, or restore a backup: ${hintFor(place, 'restore', '<file>')}. For a new, empty vault in its place: ${hintFor(place, 'init')}`,
  )
}

type MakeOptions = {
  /** Whether to fall back to a vault in memory where nothing here can protect one on disk. */
  readonly memory: boolean
  readonly seed?: Parsed<Seed> | undefined
  readonly engine?: EngineOptions
  readonly accept_loss?: AcceptedLoss | undefined
}

/**
 * Creates a place's vault. Throws `invalid` where nothing can protect it and it may not live in memory, and what
 * `newVault` throws.
 */
export async function make(place: Place, { memory, ...rest }: MakeOptions): Promise<Made> {
  const situation = await situationOfNone()
  const protection = await newProtection(situation, place.vault)
  const { newVault } = await import('../../host/first-data/new-vault.ts')
  if (protection) {
    const stored = { dataDir: place.dataDir, name: place.vault, protection }
    const made = await filling(rest, (watched) => newVault({ ...watched, stored }))
    sayIfLost(`The vault was created. If you have not seen its keys, ${makeKeysHint(place)}`, {
      onlyOnce: true,
    })
    return { state: 'created', ...made }
  }
  if (!memory) throw new CofferError('invalid', sayingWhy(situation, nobodyToAsk))
  note(sayingWhy(situation, ephemeralNotice))
  return { state: 'ephemeral', ...(await filling(rest, newVault)) }
}

/** How to get keys to a vault whose own were not seen. */
export function makeKeysHint(place: Place): string {
  return `make new ones with ${hintFor(place, 'recovery-key')} and ${hintFor(place, 'keys', 'create', '--type', 'private')}`
}

/** Makes a vault and says how far its seed has come; Ctrl-C stops that. Throws `Interrupted` as well. */
export async function filling<T extends { readonly seed?: unknown }, M>(
  input: T,
  makeVault: (input: T & Pick<NewVaultInput, 'onSeeded' | 'signal'>) => Promise<M>,
): Promise<M> {
  if (input.seed === undefined) return makeVault(input)
  const { onSeeded, clear } = seedProgress()
  try {
    return await stoppable((signal) => makeVault({ ...input, onSeeded, signal }))
  } finally {
    clear()
  }
}

async function situationOfNone(): Promise<Situation> {
  const around = circumstances()
  if (around.environment) return { vault: 'none', keychain: false, ...around }
  const problem = (await keychainProblem())?.message
  return {
    vault: 'none',
    keychain: problem === undefined,
    ...(problem !== undefined && { keychain_problem: problem }),
    ...around,
  }
}

/** A sentence behind the one that says why the keychain is not used. */
function sayingWhy({ keychain_problem = '' }: Situation, text: string): string {
  return `${keychain_problem} ${text}`.trimStart()
}

/** How to protect a new vault; undefined where nothing here can. */
async function newProtection(situation: Situation, vault: string): Promise<Protection | undefined> {
  switch (decideProtection(situation).use) {
    case 'keychain':
      return { keychain: true }
    case 'environment':
      return { passphrase: passphraseGiven() ?? '' }
    case 'ask':
      note(sayingWhy(situation, 'A passphrase will protect the vault.'))
      return { passphrase: await askPassphrase('Passphrase for the new vault', vault) }
    case 'ephemeral':
    case 'nothing':
      return undefined
  }
}

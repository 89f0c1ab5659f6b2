import { CofferError } from '../../../shared/errors.ts'
import type { EngineOptions } from '../../engine/index.ts'
import { readHeader } from '../../host/files/header.ts'
import { isMissing } from '../../host/files/known-vaults.ts'
import type { Parsed } from '../../host/files/member-location.ts'
import {
  getVaultFiles,
  requireExistingVault,
  type VaultFiles,
  vaultExists,
} from '../../host/files/vault-files.ts'
import type { VaultWithData, VaultWithDataInput } from '../../host/initial-data/create-vault-with-data.ts'
import type { Seed } from '../../host/initial-data/seed/seed.ts'
import type { Credential } from '../../host/keys/credential.ts'
import { findKeychainProblem } from '../../host/keys/keychain.ts'
import type { Protection } from '../../host/keys/protection.ts'
import { type AcceptedLoss, openVault } from '../../host/vault/open-vault.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { formatVaultCommand } from '../hint.ts'
import { setLostMessage } from './broken-output.ts'
import { decideProtection, type ProtectionContext } from './decide-protection.ts'
import { findKey, readContext, type UnlockedCredential } from './find-key.ts'
import { askPassphrase } from './new-protection.ts'
import { createSeedProgress, runStoppable } from './progress.ts'
import { readPassphrase } from './secrets.ts'
import { printHint, type VaultLocation } from './vault-options.ts'

const ephemeralNotice =
  'There is no terminal to ask for a passphrase, and COFFER_PASSPHRASE is not set. This vault is therefore stored only in memory, and deleted when Coffer stops.'
const nobodyToAsk = 'There is no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.'

/** Returns the files of the vault at a location. Throws `not_found` with the command that creates it. */
export function requireExisting(location: VaultLocation): VaultFiles {
  try {
    return requireExistingVault(location.dataDir, location.vault)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError(
      'not_found',
      `${error.message} Create it with: ${formatVaultCommand(location, 'init')}`,
    )
  }
}

/** Unlocks the vault at a location, without opening it. Throws whatever `requireExisting` and `findKey` throw. */
export function unlockLocation(location: VaultLocation): Promise<UnlockedCredential> {
  return findKey(readHeader(requireExisting(location).header))
}

/**
 * Opens the vault at a location and returns the credential used. Throws whatever `unlockLocation` and `openVault`
 * throw.
 */
export async function unlockExisting(
  location: VaultLocation,
  engine: EngineOptions = {},
  accept_loss?: AcceptedLoss,
): Promise<{ vault: OpenVault; credential: Credential }> {
  using key = await unlockLocation(location)
  const { dataDir, vault: name } = location
  const vault = await openVault({ dataDir, name, with: key, engine, accept_loss })
  vault.onLost = printHint
  if (vault.upgrade !== undefined) printHint(vault.upgrade)
  return { vault, credential: key.credential }
}

/** Like `unlockExisting`, but returns just the vault: `await using vault = await openExisting(place)`. */
export async function openExisting(location: VaultLocation): Promise<OpenVault> {
  return (await unlockExisting(location)).vault
}

/** An `ephemeral` vault is in memory and is deleted when the process ends. */
type CreatedVaultResult = VaultWithData & { readonly state: 'created' | 'ephemeral' }
export type OpenVaultResult = { readonly state: 'opened'; readonly vault: OpenVault } | CreatedVaultResult

/**
 * Opens the vault at a location, or creates it if none has ever existed there. Throws `not_found` if the vault has
 * existed but its folder is missing, and whatever `unlockExisting` and `createVault` throw.
 */
export async function openOrCreate(
  location: VaultLocation,
  options: CreateOptions,
): Promise<OpenVaultResult> {
  if (isMissing(location.dataDir, location.vault)) throw createMissingVaultError(location)
  if (!vaultExists(getVaultFiles(location.dataDir, location.vault))) {
    const { accept_loss: _, ...createOptions } = options
    return createVault(location, createOptions)
  }
  const { vault } = await unlockExisting(location, options.engine, options.accept_loss)
  return { state: 'opened', vault }
}

/** SECURITY: a new vault in place of a missing one would look like the old one, but empty. */
function createMissingVaultError(location: VaultLocation): CofferError {
  const { folder } = getVaultFiles(location.dataDir, location.vault)
  return new CofferError(
    'not_found',
    `The vault ${location.vault} is missing from ${folder}. Put the folder back, or restore a backup: ${formatVaultCommand(location, 'restore', '<file>')}. For a new, empty vault in its place: ${formatVaultCommand(location, 'init')}`,
  )
}

type CreateOptions = {
  /** Whether to fall back to an in-memory vault if nothing can protect one on disk. */
  readonly memory: boolean
  readonly seed?: Parsed<Seed> | undefined
  readonly engine?: EngineOptions
  readonly accept_loss?: AcceptedLoss | undefined
}

/**
 * Creates the vault at a location. Throws `invalid` if nothing can protect it and `memory` is false, and whatever
 * `createVaultWithData` throws.
 */
export async function createVault(
  location: VaultLocation,
  { memory, ...rest }: CreateOptions,
): Promise<CreatedVaultResult> {
  const context = await createEmptyContext()
  const protection = await newProtection(context, location.vault, 'vault')
  const { createVaultWithData } = await import('../../host/initial-data/create-vault-with-data.ts')
  if (protection) {
    const stored = { dataDir: location.dataDir, name: location.vault, protection }
    const created = await runWithSeedProgress(rest, (watched) => createVaultWithData({ ...watched, stored }))
    setLostMessage(`The vault was created. If you have not seen its keys, ${makeKeysHint(location)}`, {
      onlyOnce: true,
    })
    return { state: 'created', ...created }
  }
  if (!memory) throw new CofferError('invalid', prefixKeychainProblem(context, nobodyToAsk))
  printHint(prefixKeychainProblem(context, ephemeralNotice))
  return { state: 'ephemeral', ...(await runWithSeedProgress(rest, createVaultWithData)) }
}

/** Tells the owner how to create new keys for a vault whose keys were not shown. */
export function makeKeysHint(location: VaultLocation): string {
  return `create new ones with ${formatVaultCommand(location, 'recovery-key')} and ${formatVaultCommand(location, 'keys', 'create', '--type', 'private')}`
}

/**
 * Creates a vault with `buildVault` and prints the progress of its seed; Ctrl-C stops it. Throws whatever
 * `buildVault` throws, and `Interrupted` if a signal stopped it.
 */
export async function runWithSeedProgress<T extends { readonly seed?: unknown }, M>(
  input: T,
  buildVault: (input: T & Pick<VaultWithDataInput, 'onSeeded' | 'signal'>) => Promise<M>,
): Promise<M> {
  if (input.seed === undefined) return buildVault(input)
  const { onSeeded, clear } = createSeedProgress('Filling the vault')
  try {
    return await runStoppable((signal) => buildVault({ ...input, onSeeded, signal }))
  } finally {
    clear()
  }
}

async function createEmptyContext(): Promise<ProtectionContext> {
  const surroundings = readContext()
  if (surroundings.environment) return { vault: 'none', keychain: false, ...surroundings }
  const problem = (await findKeychainProblem())?.message
  return {
    vault: 'none',
    keychain: problem === undefined,
    ...(problem !== undefined && { keychain_problem: problem }),
    ...surroundings,
  }
}

function prefixKeychainProblem({ keychain_problem = '' }: ProtectionContext, text: string): string {
  return `${keychain_problem} ${text}`.trimStart()
}

/**
 * Returns how to protect something new, such as an authority. Throws `invalid` if there is neither a keychain nor a
 * passphrase.
 */
export async function requireProtection(what: string): Promise<Protection> {
  const context = await createEmptyContext()
  const protection = await newProtection(context, what, what)
  if (protection) return protection
  throw new CofferError('invalid', prefixKeychainProblem(context, nobodyToAsk))
}

/** Returns how to protect something new; undefined if there is neither a keychain nor a passphrase. */
async function newProtection(
  context: ProtectionContext,
  name: string,
  what: string,
): Promise<Protection | undefined> {
  switch (decideProtection(context).use) {
    case 'keychain':
      return { keychain: true }
    case 'environment':
      return { passphrase: readPassphrase() ?? '' }
    case 'ask':
      printHint(prefixKeychainProblem(context, `A passphrase will protect the ${what}.`))
      return { passphrase: await askPassphrase(`Passphrase for the new ${what}`, name) }
    case 'ephemeral':
    case 'nothing':
      return undefined
  }
}

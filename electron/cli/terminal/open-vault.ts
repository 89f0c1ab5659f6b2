import { CofferError } from '../../../shared/errors.ts'
import type { EngineOptions } from '../../engine/engine.ts'
import { readHeader } from '../../host/files/header.ts'
import { isMissing } from '../../host/files/known-vaults.ts'
import type { Parsed } from '../../host/files/member-location.ts'
import { existingVault, type VaultFiles, vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
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
  'There is no terminal to ask for a passphrase and no COFFER_PASSPHRASE, so this vault lives in memory: it is gone when Coffer stops.'
const nobodyToAsk = 'There is no terminal to ask for a passphrase. Set COFFER_PASSPHRASE and try again.'

/** The files of a place's vault. Throws `not_found` with the command that creates one. */
export function requireExisting(place: VaultLocation): VaultFiles {
  try {
    return existingVault(place.dataDir, place.vault)
  } catch (error) {
    if (!(error instanceof CofferError) || error.code !== 'not_found') throw error
    throw new CofferError(
      'not_found',
      `${error.message} Create it with: ${formatVaultCommand(place, 'init')}`,
    )
  }
}

/** The key of a place's vault. Throws what `existing` and `findKey` throw. */
export function unlockLocation(place: VaultLocation): Promise<UnlockedCredential> {
  return findKey(readHeader(requireExisting(place).header))
}

/** Opens a place's vault and returns the credential used. Throws what `keyOfPlace` and `openVault` throw. */
export async function unlockExisting(
  place: VaultLocation,
  engine: EngineOptions = {},
  accept_loss?: AcceptedLoss,
): Promise<{ vault: OpenVault; credential: Credential }> {
  using key = await unlockLocation(place)
  const { dataDir, vault: name } = place
  const vault = await openVault({ dataDir, name, with: key, engine, accept_loss })
  vault.onLost = printHint
  if (vault.upgrade !== undefined) printHint(vault.upgrade)
  return { vault, credential: key.credential }
}

/** The same without the credential: `await using vault = await openExisting(place)`. */
export async function openExisting(place: VaultLocation): Promise<OpenVault> {
  return (await unlockExisting(place)).vault
}

/** `ephemeral`: gone when the process ends. */
type CreatedVaultResult = VaultWithData & { readonly state: 'created' | 'ephemeral' }
export type OpenVaultResult = { readonly state: 'opened'; readonly vault: OpenVault } | CreatedVaultResult

/**
 * Opens a place's vault, or creates it where there never was one. Throws `not_found` where it is gone, and what
 * `unlockExisting` and `make` throw.
 */
export async function openOrCreate(place: VaultLocation, options: CreateOptions): Promise<OpenVaultResult> {
  if (isMissing(place.dataDir, place.vault)) throw missingVaultError(place)
  if (!vaultExists(vaultFiles(place.dataDir, place.vault))) {
    const { accept_loss: _, ...making } = options
    return createVault(place, making)
  }
  const { vault } = await unlockExisting(place, options.engine, options.accept_loss)
  return { state: 'opened', vault }
}

/** SECURITY: a new vault in the place of one that is gone would look like the old one, empty. */
function missingVaultError(place: VaultLocation): CofferError {
  const { folder } = vaultFiles(place.dataDir, place.vault)
  return new CofferError(
    'not_found',
    `The vault ${place.vault} is missing from ${folder}. Put the folder back, or restore a backup: ${formatVaultCommand(place, 'restore', '<file>')}. For a new, empty vault in its place: ${formatVaultCommand(place, 'init')}`,
  )
}

type CreateOptions = {
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
export async function createVault(
  place: VaultLocation,
  { memory, ...rest }: CreateOptions,
): Promise<CreatedVaultResult> {
  const context = await createEmptyContext()
  const protection = await newProtection(context, place.vault)
  const { createVaultWithData: newVault } = await import('../../host/initial-data/create-vault-with-data.ts')
  if (protection) {
    const stored = { dataDir: place.dataDir, name: place.vault, protection }
    const created = await runWithSeedProgress(rest, (watched) => newVault({ ...watched, stored }))
    setLostMessage(`The vault was created. If you have not seen its keys, ${makeKeysHint(place)}`, {
      onlyOnce: true,
    })
    return { state: 'created', ...created }
  }
  if (!memory) throw new CofferError('invalid', prefixKeychainProblem(context, nobodyToAsk))
  printHint(prefixKeychainProblem(context, ephemeralNotice))
  return { state: 'ephemeral', ...(await runWithSeedProgress(rest, newVault)) }
}

/** How to get keys to a vault whose own were not seen. */
export function makeKeysHint(place: VaultLocation): string {
  return `make new ones with ${formatVaultCommand(place, 'recovery-key')} and ${formatVaultCommand(place, 'keys', 'create', '--type', 'private')}`
}

/** Makes a vault and says how far its seed has come; Ctrl-C stops that. Throws `Interrupted` as well. */
export async function runWithSeedProgress<T extends { readonly seed?: unknown }, M>(
  input: T,
  makeVault: (input: T & Pick<VaultWithDataInput, 'onSeeded' | 'signal'>) => Promise<M>,
): Promise<M> {
  if (input.seed === undefined) return makeVault(input)
  const { onSeeded, clear } = createSeedProgress()
  try {
    return await runStoppable((signal) => makeVault({ ...input, onSeeded, signal }))
  } finally {
    clear()
  }
}

async function createEmptyContext(): Promise<ProtectionContext> {
  const around = readContext()
  if (around.environment) return { vault: 'none', keychain: false, ...around }
  const problem = (await findKeychainProblem())?.message
  return {
    vault: 'none',
    keychain: problem === undefined,
    ...(problem !== undefined && { keychain_problem: problem }),
    ...around,
  }
}

/** A sentence behind the one that says why the keychain is not used. */
function prefixKeychainProblem({ keychain_problem = '' }: ProtectionContext, text: string): string {
  return `${keychain_problem} ${text}`.trimStart()
}

/** How to protect a new vault; undefined where nothing here can. */
async function newProtection(context: ProtectionContext, vault: string): Promise<Protection | undefined> {
  switch (decideProtection(context).use) {
    case 'keychain':
      return { keychain: true }
    case 'environment':
      return { passphrase: readPassphrase() ?? '' }
    case 'ask':
      printHint(prefixKeychainProblem(context, 'A passphrase will protect the vault.'))
      return { passphrase: await askPassphrase('Passphrase for the new vault', vault) }
    case 'ephemeral':
    case 'nothing':
      return undefined
  }
}

import { CofferError } from '../../../shared/errors.ts'
import { type Engine, type EngineOptions, owner } from '../../engine/index.ts'
import type { Parsed } from '../files/member-location.ts'
import type { Protection } from '../keys/protection.ts'
import { createVault } from '../vault/create-vault.ts'
import { deleteVault } from '../vault/delete-vault.ts'
import { createEphemeralVault } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { sampleApplications } from './sample-applications.ts'
import { createSampleTokens } from './sample-tokens.ts'
import { applySeed, type SeededClientKey } from './seed/apply-seed.ts'
import type { Seed } from './seed/seed.ts'
import { createStarterApplications, type StarterKeys } from './starter-applications.ts'

export type VaultWithDataInput = {
  /** Where to store the vault, and how to protect it. Without this, an in-memory vault is created. */
  readonly stored?: { readonly dataDir: string; readonly name: string; readonly protection: Protection }
  readonly engine?: EngineOptions
  readonly seed?: Parsed<Seed> | undefined
  /** Adds sample tokens and applications, and receives the progress. */
  readonly samples?: ((done: number, total: number) => void) | undefined
  /** Receives how many tokens of the seed have been created. */
  readonly onSeeded?: ((done: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A new, open vault. Its keys, and its recovery key if it has one, must be shown once. */
export type VaultWithData = {
  readonly vault: OpenVault
  readonly keys: StarterKeys
  /** The client encryption keys of the seed. */
  readonly client_keys: readonly SeededClientKey[]
  readonly recovery_key?: string
}

/**
 * Creates, fills and opens a vault. Resetting an in-memory vault returns it to this state. A vault that could not be
 * filled is deleted, because its keys were never shown. Throws what `createVault`, `createEphemeralVault` and
 * `applySeed` throw, and `cancelled` when `signal` aborts.
 */
export async function createVaultWithData(input: VaultWithDataInput): Promise<VaultWithData> {
  const { stored, engine = {}, seed, samples, onSeeded, signal } = input
  const assertNotCancelled = () => {
    if (signal?.aborted) throw new CofferError('cancelled', 'Stopped. No vault was created.')
  }
  const created = stored ? await createVault({ ...stored, engine }) : { vault: createEphemeralVault(engine) }
  const { vault } = created
  try {
    const initialData = seed
      ? await applySeed(vault.engine, seed, (done, total) => {
          assertNotCancelled()
          onSeeded?.(done, total)
        })
      : { keys: await createStarterApplications(vault.engine), client_keys: [] }
    if (samples) await createSampleData(vault.engine, (engine.now ?? Date.now)(), samples)
    assertNotCancelled()
    vault.controls?.markInitialState()
    return { ...created, ...initialData }
  } catch (error) {
    vault.lock()
    if (stored) await deleteVault({ ...stored, with_backups: true })
    throw error
  }
}

/** Fills a vault with sample applications and tokens, as the owner. Throws what the engine throws. */
async function createSampleData(
  engine: Engine,
  now: number,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const tokens = createSampleTokens(now)
  const total = sampleApplications.length + tokens.length
  const client = engine.as(owner)
  let done = 0
  for (const application of sampleApplications) {
    progress(done++, total)
    await client.applications.create(application)
  }
  for (const token of tokens) {
    progress(done++, total)
    await client.tokens.create(token)
  }
  progress(total, total)
}

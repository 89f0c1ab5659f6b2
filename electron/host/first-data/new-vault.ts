import type { EngineOptions } from '../../engine/engine.ts'
import type { Parsed } from '../files/located.ts'
import type { Protection } from '../keys/protection.ts'
import { createVault } from '../vault/create-vault.ts'
import { createEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { createSampleData } from './sample-data.ts'
import { applySeed, type SeededClientKey } from './seed/apply-seed.ts'
import type { Seed } from './seed/seed.ts'
import { createStarterApplications, type StarterKeys } from './starter-applications.ts'

export type NewVaultInput = {
  /** Where to store the vault and what opens it. Without it, the vault lives in memory. */
  readonly stored?: { readonly dataDir: string; readonly name: string; readonly protection: Protection }
  readonly engine?: EngineOptions
  /** The initial content. Without it, three starter applications. */
  readonly seed?: Parsed<Seed> | undefined
  /** Adds sample tokens and applications, and reports progress. */
  readonly samples?: ((done: number, total: number) => void) | undefined
  /** Hears how many tokens of the seed have been made. */
  readonly onSeeded?: ((done: number, total: number) => void) | undefined
}

/** A new, open vault. Its keys and its recovery key, if it has one, are to be shown once. */
export type NewVault = {
  readonly vault: OpenVault
  readonly keys: StarterKeys
  /** Those of the seed. */
  readonly client_keys: readonly SeededClientKey[]
  readonly recovery_key?: string
}

/**
 * Creates, fills and opens a vault; a reset of an in-memory vault returns to this state. Throws what `createVault`,
 * `createEphemeral` and `applySeed` throw, after locking the vault.
 */
export async function newVault(input: NewVaultInput): Promise<NewVault> {
  const { stored, engine = {}, seed, samples, onSeeded } = input
  const made = stored ? await createVault({ ...stored, engine }) : { vault: createEphemeral(engine) }
  const { vault } = made
  try {
    const filled = seed
      ? await applySeed(vault.engine, seed, onSeeded)
      : { keys: await createStarterApplications(vault.engine), client_keys: [] }
    if (samples) await createSampleData(vault.engine, (engine.now ?? Date.now)(), samples)
    vault.sandbox?.begin()
    return { ...made, ...filled }
  } catch (error) {
    vault.lock()
    throw error
  }
}

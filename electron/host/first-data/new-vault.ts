import type { EngineOptions } from '../../engine/engine.ts'
import type { Parsed } from '../files/yaml-file.ts'
import type { Protection } from '../keys/protection.ts'
import { createVault } from '../vault/create-vault.ts'
import { createEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { createSampleData } from './sample-data.ts'
import { applySeed } from './seed/apply-seed.ts'
import type { Seed } from './seed/seed.ts'
import { createStarterApplications, type StarterKeys } from './starter-applications.ts'

export type NewVaultInput = {
  /** Where the vault is stored and what opens it; without it, the vault lives in memory. */
  readonly stored?: { readonly dataDir: string; readonly name: string; readonly protection: Protection }
  readonly engine?: EngineOptions
  /** What it begins with; without it, three starter applications. */
  readonly seed?: Parsed<Seed> | undefined
  /** Adds sample tokens and applications to look at, and reports how far that is. */
  readonly samples?: ((done: number, total: number) => void) | undefined
}

/** A new vault, open; its keys and its recovery key, if it has one, are to be shown once. */
export type NewVault = {
  readonly vault: OpenVault
  readonly keys: StarterKeys
  readonly recovery_key?: string
}

/**
 * Makes a vault, fills it and opens it; a vault in memory is reset to how it is then. Throws what `createVault`,
 * `createEphemeral` and `applySeed` throw; the vault is locked by then.
 */
export async function newVault(input: NewVaultInput): Promise<NewVault> {
  const { stored, engine = {}, seed, samples } = input
  const made = stored ? await createVault({ ...stored, engine }) : { vault: createEphemeral(engine) }
  const { vault } = made
  try {
    const keys = seed ? await applySeed(vault.engine, seed) : await createStarterApplications(vault.engine)
    if (samples) await createSampleData(vault.engine, (engine.now ?? Date.now)(), samples)
    vault.sandbox?.begin()
    return { ...made, keys }
  } catch (error) {
    vault.lock()
    throw error
  }
}

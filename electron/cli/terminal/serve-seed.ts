import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import type { Parsed } from '../../host/files/located.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import { applySeed } from '../../host/first-data/seed/apply-seed.ts'
import { type Seed, seed } from '../../host/first-data/seed/seed.ts'
import { createEphemeral } from '../../host/vault/ephemeral.ts'
import type { Place } from './common.ts'
import { UsageError } from './usage-error.ts'

/**
 * The seed named by the options, or undefined. Throws `invalid` with the place in the file, `conflict` where the
 * vault exists.
 */
export function seedOf(
  { seed, keep }: { seed?: string; keep?: true },
  place: Place,
): Promise<Parsed<Seed>> | undefined {
  if (seed !== undefined) return readSeedFor(seed, keep ? place : null)
  if (!keep) return undefined
  throw new UsageError('--keep needs --seed: it keeps the vault that --seed fills.')
}

/** A seed for a kept vault is tried in memory first, so that no half-filled vault is left behind. */
async function readSeedFor(file: string, kept: Place | null): Promise<Parsed<Seed>> {
  const read = readYaml(file, seed)
  if (!kept) return read
  if (fs.existsSync(vaultFiles(kept.dataDir, kept.vault).folder)) {
    throw new CofferError(
      'conflict',
      `The vault ${kept.vault} already exists in ${kept.dataDir}. A seed fills a new vault: choose another --vault, or leave out --keep.`,
    )
  }
  const fixed = read.value.applications.findIndex(({ key }) => key !== undefined)
  if (fixed >= 0) {
    const path = read.at(`applications[${fixed}].key`)
    throw new CofferError(
      'invalid',
      `${path} cannot be set in a vault that is kept. Leave out the key, or leave out --keep.`,
    )
  }
  await using trial = createEphemeral()
  await applySeed(trial.engine, read)
  return read
}

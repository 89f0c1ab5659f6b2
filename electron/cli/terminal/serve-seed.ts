import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import type { Parsed } from '../../host/files/member-location.ts'
import { getVaultFiles } from '../../host/files/vault-files.ts'
import { readYaml } from '../../host/files/yaml-file.ts'
import { applySeed } from '../../host/initial-data/seed/apply-seed.ts'
import { type Seed, seed } from '../../host/initial-data/seed/seed.ts'
import { createEphemeralVault } from '../../host/vault/ephemeral.ts'
import { createSeedProgress } from './progress.ts'
import { UsageError } from './usage-error.ts'
import type { VaultLocation } from './vault-options.ts'

/**
 * Reads the seed that the options name, if any. Throws `invalid` with the position in the file, and `conflict` if the
 * vault exists.
 */
export function readServeSeed(
  { seed, keep }: { seed?: string; keep?: true },
  location: VaultLocation,
): Promise<Parsed<Seed>> | undefined {
  if (seed !== undefined) return readSeedFor(seed, keep ? location : null)
  if (!keep) return undefined
  throw new UsageError('--keep needs --seed, because it stores the vault filled by --seed on disk.')
}

/**
 * Reads a seed. A seed for a vault on disk is first applied in memory, so that an invalid one leaves no half-filled
 * vault behind.
 */
async function readSeedFor(file: string, location: VaultLocation | null): Promise<Parsed<Seed>> {
  const read = readYaml(file, seed)
  if (!location) return read
  if (fs.existsSync(getVaultFiles(location.dataDir, location.vault).folder)) {
    throw new CofferError(
      'conflict',
      `The vault ${location.vault} already exists in ${location.dataDir}. A seed fills a new vault: choose another --vault, or leave out --keep.`,
    )
  }
  const fixed = read.value.applications.findIndex(({ key }) => key !== undefined)
  if (fixed >= 0) {
    const path = read.at(`applications[${fixed}].key`)
    throw new CofferError(
      'invalid',
      `${path} cannot be set in a vault on disk. Leave out the key, or leave out --keep.`,
    )
  }
  await using testVault = createEphemeralVault()
  const { onSeeded, clear } = createSeedProgress('Checking the seed')
  try {
    await applySeed(testVault.engine, read, onSeeded)
  } finally {
    clear()
  }
  return read
}

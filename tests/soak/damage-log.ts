import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { toCofferError } from '../../electron/engine/db/storage-error.ts'
import { getVaultFiles } from '../../electron/host/files/vault-files.ts'
import type { Credential } from '../../electron/host/keys/credential.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { CofferError } from '../../shared/errors.ts'

const owner = { kind: 'owner' } as const

type KilledFolder = {
  /** The data folder that a killed process left. It is not changed. */
  readonly dataDir: string
  readonly name: string
  readonly with: Credential
  /** All acknowledged writes: the data of each token by its id, or null if it was deleted. */
  readonly answered: ReadonlyMap<string, string | null>
}

export type Damage = { readonly what: string; do(log: string): void }

/** Returns a kind of damage that `random` chooses: a flipped bit of the log, or a truncated or removed log. */
export function chooseDamage(size: number, random: () => number): Damage {
  const at = Math.floor(random() * size)
  const kind = random()
  if (kind < 0.02) return { what: 'removed', do: (log) => fs.rmSync(log) }
  if (kind < 0.3) return { what: `cut at ${at}`, do: (log) => fs.truncateSync(log, at) }
  const bit = Math.floor(random() * 8)
  return { what: `bit ${bit} of byte ${at} flipped`, do: (log) => flipBit(log, at, bit) }
}

export function flipBit(file: string, at: number, bit: number): void {
  const descriptor = fs.openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  fs.readSync(descriptor, byte, 0, 1, at)
  byte.writeUInt8(byte.readUInt8(0) ^ (1 << bit))
  fs.writeSync(descriptor, byte, 0, 1, at)
  fs.closeSync(descriptor)
}

/**
 * Returns a digest of the names and bytes in a folder. Of the log's index, it includes only the name, because SQLite
 * rebuilds the content.
 */
export function digestFolder(folder: string): string {
  const digest = createHash('sha256')
  for (const name of fs.readdirSync(folder).sort()) {
    digest.update(`${name}\0`)
    if (!name.endsWith('-shm')) digest.update(fs.readFileSync(path.join(folder, name)))
  }
  return digest.digest('hex')
}

/**
 * Damages a copy of a killed vault and opens it. It must be rejected without any change, or open with every
 * acknowledged write. Returns which of the two happened, and the problem if neither did.
 */
export async function openDamaged(
  killed: KilledFolder,
  copy: string,
  damage: Damage,
): Promise<{ readonly outcome: 'refused' | 'opened'; readonly problem?: string }> {
  fs.cpSync(killed.dataDir, copy, { recursive: true })
  const { folder, database } = getVaultFiles(copy, killed.name)
  damage.do(`${database}-wal`)
  const before = digestFolder(folder)
  try {
    await using vault = await openVault({ dataDir: copy, name: killed.name, with: killed.with })
    for (const [id, data] of killed.answered) {
      const found = await vault.engine.call('tokens.reveal', { id }, owner).then(
        ({ output }) => (output as { data: string }).data,
        (error: unknown) => (toCofferError(error).code === 'not_found' ? null : 'error'),
      )
      if (found !== data)
        return { outcome: 'opened', problem: `${damage.what}: an answered write is missing` }
    }
    return { outcome: 'opened' }
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    if (digestFolder(folder) !== before)
      return { outcome: 'refused', problem: `${damage.what}: the files changed` }
    if (error.lost_commits === undefined) {
      return { outcome: 'refused', problem: `${damage.what}: ${error.code} without a number` }
    }
    return { outcome: 'refused' }
  } finally {
    fs.rmSync(copy, { recursive: true })
  }
}

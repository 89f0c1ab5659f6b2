import { hash } from 'node:crypto'
import fs from 'node:fs'
import { z } from '../../../shared/zod.ts'
import type { PersistedTotal } from '../../engine/db/lost-commits.ts'
import { type KeychainEntry, readKeychain, storeInKeychain, toTotalsEntry } from './keychain.ts'

/** By folder, because a copy of a vault's folder, made by hand, shares the entry and goes its own way. */
const totals = z.record(z.string(), z.object({ id: z.string(), total: z.int().min(0) }))
type Totals = z.infer<typeof totals>

/** How many folders an entry remembers: the last ones written. */
const MAX_FOLDERS = 16

/** The total of commits the keychain remembers of a vault's folder; undefined where it remembers or answers none. */
export async function readPersistedTotal(
  entry: KeychainEntry,
  folder: string,
): Promise<PersistedTotal | undefined> {
  return (await readTotals(entry))[getFolderKey(folder)]
}

/** Writes the total of commits into the keychain. Throws `unavailable`. */
export async function persistTotal(
  entry: KeychainEntry,
  folder: string,
  total: PersistedTotal,
): Promise<void> {
  const { [getFolderKey(folder)]: _, ...otherTotals } = await readTotals(entry)
  const newTotals = Object.fromEntries([
    ...Object.entries(otherTotals).slice(1 - MAX_FOLDERS),
    [getFolderKey(folder), total],
  ])
  await storeInKeychain(toTotalsEntry(entry), Buffer.from(JSON.stringify(newTotals)))
}

async function readTotals(entry: KeychainEntry): Promise<Totals> {
  const read = await readKeychain(toTotalsEntry(entry))
  if (read.state !== 'found') return {}
  try {
    return totals.parse(JSON.parse(read.secret.toString()))
  } catch {
    // Another program's text says nothing about this vault.
    return {}
  }
}

function getFolderKey(folder: string): string {
  return hash('sha256', fs.realpathSync(folder)).slice(0, 32)
}

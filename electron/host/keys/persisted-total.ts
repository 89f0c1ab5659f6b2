import { hash } from 'node:crypto'
import fs from 'node:fs'
import { z } from '../../../shared/zod.ts'
import type { PersistedTotal } from '../../engine/index.ts'
import { type KeychainEntry, readKeychain, storeInKeychain, toTotalsEntry } from './keychain.ts'

/** Stored by folder, because a manual copy of a vault's folder shares the keychain entry but has its own commits. */
const totals = z.record(z.string(), z.object({ id: z.string(), total: z.int().min(0) }))
type Totals = z.infer<typeof totals>

/** The maximum number of folders in an entry. If there are more, only those written last stay in it. */
const MAX_FOLDERS = 16

/** Reads the total of commits that the keychain holds for a vault's folder. Undefined if it holds none or fails. */
export async function readPersistedTotal(
  entry: KeychainEntry,
  folder: string,
): Promise<PersistedTotal | undefined> {
  return (await readTotals(entry))[getFolderKey(folder)]
}

/** Writes the total of commits to the keychain. Throws `unavailable`. */
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
    // This content was not written by Coffer, so it says nothing about this vault.
    return {}
  }
}

function getFolderKey(folder: string): string {
  return hash('sha256', fs.realpathSync(folder)).slice(0, 32)
}

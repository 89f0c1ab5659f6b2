import { hash } from 'node:crypto'
import fs from 'node:fs'
import { z } from '../../../shared/zod.ts'
import type { KeptTotal } from '../../engine/db/lost-commits.ts'
import { type KeychainEntry, readKeychain, storeInKeychain, totalsEntry } from './keychain.ts'

/** By folder, because a copy of a vault's folder, made by hand, shares the entry and goes its own way. */
const totals = z.record(z.string(), z.object({ id: z.string(), total: z.int().min(0) }))
type Totals = z.infer<typeof totals>

/** How many folders an entry remembers: the last ones written. */
const FOLDERS = 16

/** The total of commits the keychain remembers of a vault's folder; undefined where it remembers or answers none. */
export async function readKeptTotal(entry: KeychainEntry, folder: string): Promise<KeptTotal | undefined> {
  return (await readTotals(entry))[placeOf(folder)]
}

/** Writes the total of commits into the keychain. Throws `unavailable`. */
export async function keepTotal(entry: KeychainEntry, folder: string, total: KeptTotal): Promise<void> {
  const { [placeOf(folder)]: _, ...others } = await readTotals(entry)
  const kept = Object.fromEntries([...Object.entries(others).slice(1 - FOLDERS), [placeOf(folder), total]])
  await storeInKeychain(totalsEntry(entry), Buffer.from(JSON.stringify(kept)))
}

async function readTotals(entry: KeychainEntry): Promise<Totals> {
  const read = await readKeychain(totalsEntry(entry))
  if (read.state !== 'found') return {}
  try {
    return totals.parse(JSON.parse(read.secret.toString()))
  } catch {
    // Another program's text says nothing about this vault.
    return {}
  }
}

function placeOf(folder: string): string {
  return hash('sha256', fs.realpathSync(folder)).slice(0, 32)
}

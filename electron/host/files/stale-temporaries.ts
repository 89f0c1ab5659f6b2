import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { findLockHolder } from './vault-lock.ts'

const HOUR_MS = 60 * 60 * 1000

/**
 * Finds leftovers of dead processes: in-memory vaults, copies being checked, vaults being created or deleted. Never
 * throws.
 */
export function findStaleTemporaries(dataDir: string): string[] {
  const inTemp = listEntries(os.tmpdir(), /^coffer-(in-memory|verify)-[\w-]+$/)
  const drafts = listEntries(dataDir, /^\.(creating|deleting)-/)
  return [...inTemp, ...drafts].filter(isStale)
}

function isStale(folder: string): boolean {
  try {
    const stat = fs.lstatSync(folder)
    if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) return false
    if (Date.now() - stat.mtimeMs < HOUR_MS) return false
    return findLockHolder(folder) === undefined
  } catch {
    // The folder was removed in the meantime, or belongs to another user.
    return false
  }
}

function listEntries(folder: string, pattern: RegExp): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((each) => pattern.test(each))
      .map((each) => path.join(folder, each))
  } catch {
    return []
  }
}

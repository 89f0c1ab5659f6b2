import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import type { VaultSummary } from '../../../shared/host/status.ts'
import { readHeader } from '../files/header.ts'
import { getVaultFiles } from '../files/vault-files.ts'

/**
 * Reads what can be known of a vault without opening it. `problem` is set if its files cannot be read. Never throws.
 */
export function readVaultSummary(dataDir: string, name: string): VaultSummary {
  try {
    const files = getVaultFiles(dataDir, name)
    const { protection, created_at } = readHeader(files.header)
    const stat = fs.statSync(files.database, { throwIfNoEntry: false })
    if (!stat) return { name, problem: `${files.database} is missing.` }
    return { name, protection, created_at, bytes: stat.size }
  } catch (error) {
    return { name, problem: error instanceof CofferError ? error.message : 'Its files cannot be read.' }
  }
}

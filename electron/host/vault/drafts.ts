import fs from 'node:fs'
import path from 'node:path'
import { readHeader } from '../files/header.ts'
import { getFilesIn, getVaultFiles, listVaults, type VaultFiles } from '../files/vault-files.ts'
import { VaultLock } from '../files/vault-lock.ts'
import { type KeychainEntry, removeFromKeychain } from '../keys/keychain.ts'

const DRAFT = /^\.(?:creating|deleting)-(.*)$/

/**
 * Returns the files of a vault that does not have its final name yet. Only the process that has locked the name may
 * touch them.
 */
export function listDraftFiles(dataDir: string, name: string): VaultFiles {
  return getFilesIn(path.join(dataDir, `.creating-${name}`))
}

/** Returns the files of a vault that is being deleted. Only the process that has locked the name may touch them. */
export function listFilesToDelete(dataDir: string, name: string): VaultFiles {
  return getFilesIn(path.join(dataDir, `.deleting-${name}`))
}

/**
 * Removes drafts that crashes left behind: that of `name`, which the caller has locked, and those of every name that
 * is not locked.
 */
export async function discardDrafts(dataDir: string, name: string): Promise<void> {
  for (const entry of fs.readdirSync(dataDir)) {
    const other = DRAFT.exec(entry)?.[1]
    if (other === undefined) continue
    using vaultLock = other === name ? undefined : tryLock(dataDir, other)
    if (other !== name && !vaultLock) continue
    await discardDraft(getFilesIn(path.join(dataDir, entry)))
  }
}

/** Removes a draft and its keychain entries. Returns the entries that the keychain did not remove. */
export async function discardDraft(draft: VaultFiles): Promise<KeychainEntry[]> {
  if (!fs.existsSync(draft.folder)) return []
  const dataDir = path.dirname(draft.folder)
  // SECURITY: a manual copy of a vault's folder may still need the same entry.
  const used = listVaults(dataDir).flatMap((name) => listKeychainEntries(getVaultFiles(dataDir, name).header))
  const remaining: KeychainEntry[] = []
  for (const entry of listKeychainEntries(draft.header)) {
    if (used.some(({ account }) => account === entry.account)) continue
    if (!(await removeFromKeychain(entry))) remaining.push(entry)
  }
  fs.rmSync(draft.folder, { recursive: true, force: true })
  return remaining
}

/**
 * Lists the entries that a header names, including that of a change of the master secret. Empty if the header cannot be
 * read.
 */
function listKeychainEntries(file: string): KeychainEntry[] {
  try {
    const { keychain, next } = readHeader(file)
    return [keychain, next?.keychain].filter((entry) => entry !== undefined)
  } catch {
    return []
  }
}

function tryLock(dataDir: string, name: string): VaultLock | undefined {
  try {
    return VaultLock.acquire(getVaultFiles(dataDir, name).folder)
  } catch {
    // Another process is creating this vault.
    return undefined
  }
}

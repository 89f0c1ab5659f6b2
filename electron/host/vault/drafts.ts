import fs from 'node:fs'
import path from 'node:path'
import { Claim } from '../files/claim.ts'
import { readHeader } from '../files/header.ts'
import { filesIn, listVaults, type VaultFiles, vaultFiles } from '../files/vault-files.ts'
import { type KeychainEntry, removeFromKeychain } from '../keys/keychain.ts'

const DRAFT = /^\.(?:creating|deleting)-(.*)$/

/** The files of a vault that does not have its name yet. Only the process that has that name's claim may touch them. */
export function draftFiles(dataDir: string, name: string): VaultFiles {
  return filesIn(path.join(dataDir, `.creating-${name}`))
}

/** The files of a vault that does not have its name any more; as above. */
export function doomedFiles(dataDir: string, name: string): VaultFiles {
  return filesIn(path.join(dataDir, `.deleting-${name}`))
}

/** Removes the drafts that crashes left behind: of `name`, which the caller has claimed, and of every name that nobody has claimed. */
export async function discardDrafts(dataDir: string, name: string): Promise<void> {
  for (const entry of fs.readdirSync(dataDir)) {
    const other = DRAFT.exec(entry)?.[1]
    if (other === undefined) continue
    using claim = other === name ? undefined : tryClaim(dataDir, other)
    if (other !== name && !claim) continue
    await discardDraft(filesIn(path.join(dataDir, entry)))
  }
}

/** Removes a draft and the keychain entries made for it; gives those that the keychain would not give up. */
export async function discardDraft(draft: VaultFiles): Promise<KeychainEntry[]> {
  if (!fs.existsSync(draft.folder)) return []
  const dataDir = path.dirname(draft.folder)
  // SECURITY: a vault whose folder was copied by hand may still be opened by the same entry.
  const used = listVaults(dataDir).flatMap((name) => keychainEntriesOf(vaultFiles(dataDir, name).header))
  const left: KeychainEntry[] = []
  for (const entry of keychainEntriesOf(draft.header)) {
    if (used.some(({ account }) => account === entry.account)) continue
    if (!(await removeFromKeychain(entry))) left.push(entry)
  }
  fs.rmSync(draft.folder, { recursive: true, force: true })
  return left
}

/** The entries that a header names, that of a change of the master secret included; none where it cannot be read. */
function keychainEntriesOf(file: string): KeychainEntry[] {
  try {
    const { keychain, next } = readHeader(file)
    return [keychain, next?.keychain].filter((entry) => entry !== undefined)
  } catch {
    return []
  }
}

function tryClaim(dataDir: string, name: string): Claim | undefined {
  try {
    return Claim.take(vaultFiles(dataDir, name).folder)
  } catch {
    // Somebody is making this vault.
    return undefined
  }
}

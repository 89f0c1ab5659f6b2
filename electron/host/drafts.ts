import fs from 'node:fs'
import path from 'node:path'
import { readHeader } from './header.ts'
import { removeFromKeychain } from './keychain.ts'
import { ProcessLock } from './process-lock.ts'
import { filesIn, vaultFiles } from './vault-files.ts'

const PREFIX = '.creating-'

/** The files of a vault that does not have its name yet. Only who holds the lock of that name may touch them. */
export function draftFiles(dataDir: string, name: string) {
  return filesIn(path.join(dataDir, `${PREFIX}${name}`))
}

/** Removes the drafts that crashes left behind: of `name`, whose lock the caller holds, and all that nobody works on. */
export async function discardDrafts(dataDir: string, name: string): Promise<void> {
  const folders = fs.readdirSync(dataDir).filter((entry) => entry.startsWith(PREFIX))
  for (const entry of folders) {
    const other = entry.slice(PREFIX.length)
    const lock = other === name ? undefined : tryLock(dataDir, other)
    if (other !== name && !lock) continue
    try {
      await discardDraft(draftFiles(dataDir, other))
    } finally {
      lock?.release()
    }
  }
}

/** Removes a draft and the keychain entry made for it. */
export async function discardDraft(draft: ReturnType<typeof filesIn>): Promise<void> {
  if (!fs.existsSync(draft.folder)) return
  const entry = keychainEntryOf(draft.header)
  if (entry) await removeFromKeychain(entry)
  fs.rmSync(draft.folder, { recursive: true, force: true })
}

function keychainEntryOf(header: string) {
  try {
    return readHeader(header).keychain
  } catch {
    return undefined
  }
}

function tryLock(dataDir: string, name: string): ProcessLock | undefined {
  try {
    return ProcessLock.acquire(vaultFiles(dataDir, name).folder)
  } catch {
    return undefined
  }
}

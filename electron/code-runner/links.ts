import fs from 'node:fs/promises'
import path from 'node:path'

/** The result of scanning a packages folder. `at` changes whenever npm has changed the folder. */
export type FolderScan = { readonly at: string; readonly link: string | null }
const lastScans = new Map<string, FolderScan>()

/**
 * Finds the first symbolic link that leads out of a folder, as a relative path; null if there is no such link or no
 * folder. The whole folder is scanned once, and again whenever npm has changed it. SECURITY: Node's permission model
 * follows links out of the folders it allows.
 */
export async function findOutsideLink(folder: string | null): Promise<FolderScan> {
  if (folder === null) return { at: '', link: null }
  const stamp = await readChangeStamp(folder)
  const last = lastScans.get(folder)
  if (last?.at === stamp) return last
  const scan = { at: stamp, link: await searchFolder(folder) }
  lastScans.set(folder, scan)
  return scan
}

/** Returns a stamp that changes with every run of npm. */
async function readChangeStamp(folder: string): Promise<string> {
  const watched = ['', 'node_modules', path.join('node_modules', '.package-lock.json')]
  const stats = await Promise.all(watched.map((name) => fs.stat(path.join(folder, name)).catch(() => null)))
  return stats.map((stat) => `${stat?.ino} ${stat?.mtimeMs}`).join(' ')
}

async function searchFolder(folder: string): Promise<string | null> {
  const real = await fs.realpath(folder).catch(() => null)
  if (real === null) return null
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    // A dangling link counts as a link out: its target may be created later.
    const target = await fs.realpath(file).catch(() => '')
    if (!target.startsWith(real + path.sep)) return path.relative(folder, file)
  }
  return null
}

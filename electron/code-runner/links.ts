import fs from 'node:fs/promises'
import path from 'node:path'

/** A folder of packages: `at` is another one whenever npm has changed it. */
export type FolderScan = { readonly at: string; readonly link: string | null }
const lastScans = new Map<string, FolderScan>()

/**
 * Looks for the first link in a folder that leads out of it: a path in the folder, or null. SECURITY: Node's permission
 * model follows links out of the folders it allows. The whole folder is looked through when npm has changed it, and else
 * once. A folder that does not exist has no links.
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

/** Changes with every run of npm. */
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
    // A link to nothing leads nowhere today; what it names may be there tomorrow.
    const target = await fs.realpath(file).catch(() => '')
    if (!target.startsWith(real + path.sep)) return path.relative(folder, file)
  }
  return null
}

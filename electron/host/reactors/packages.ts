import fs from 'node:fs'
import path from 'node:path'

/** The folder of the packages that code may use (rule F-03), if the owner has made it; null otherwise. */
export function packagesOf(dataDir: string): string | null {
  const folder = path.join(dataDir, 'packages')
  return fs.existsSync(folder) ? folder : null
}

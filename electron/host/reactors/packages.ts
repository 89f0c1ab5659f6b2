import path from 'node:path'

/** The folder of the packages that code may use (rule F-03), which need not exist. */
export function packagesOf(dataDir: string): string {
  return path.join(dataDir, 'packages')
}

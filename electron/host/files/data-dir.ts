import fs from 'node:fs'
import path from 'node:path'
import { toStorageError } from '../../engine/index.ts'
import { assertNotExposed } from './exposed.ts'
import { getHomeFolder } from './home-folder.ts'
import { makeFolder } from './make-folder.ts'

/** Returns the data folder: `COFFER_DATA_DIR`, or the platform's folder for application data. */
export function getDataDirectory(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = getHomeFolder(),
): string {
  if (env.COFFER_DATA_DIR) return resolveFolder(env.COFFER_DATA_DIR, home)
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Coffer')
  if (platform === 'win32') return path.join(env.APPDATA || path.join(home, 'AppData', 'Roaming'), 'Coffer')
  const share = env.XDG_DATA_HOME
  return path.join(share && path.isAbsolute(share) ? share : path.join(home, '.local', 'share'), 'coffer')
}

/**
 * Resolves a folder that a user entered. Expands `~`, because values from a `.env` file, for example, are not expanded
 * by a shell.
 */
export function resolveFolder(folder: string, home: string = getHomeFolder()): string {
  return path.resolve(folder.replace(/^~(?=$|[\\/])/, () => home))
}

/**
 * Creates the data folder, for its owner only. Throws `unavailable` if it cannot be created or written, and
 * `forbidden` if another user could change it.
 */
export function prepareDataDirectory(directory: string): void {
  makeFolder(directory)
  try {
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    assertNotExposed(directory)
  } catch (error) {
    throw toStorageError(error, directory)
  }
}

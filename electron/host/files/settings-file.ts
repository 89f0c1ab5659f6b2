import fs from 'node:fs'
import path from 'node:path'
import { hostSettings } from '../../../shared/host/settings.ts'
import { gridLayouts } from '../../../shared/schemas/grid-layout.ts'
import { z } from '../../../shared/zod.ts'
import { toStorageError } from '../../engine/index.ts'
import { writeAtomically } from './atomic-write.ts'
import { prepareDataDirectory } from './data-dir.ts'
import { inDataFolder } from './data-folder.ts'
import { assertNotExposed } from './exposed.ts'

const content = z.object({
  last_vault: z.string().nullable().default(null),
  settings: hostSettings
    .strip()
    // Earlier versions stored layouts without bounds, which must not cost the other settings.
    .extend({ grids: gridLayouts.prefault({}).catch({}) })
    .prefault({}),
})

/** The settings file in the data folder. It holds no secrets. */
export type SettingsFile = z.output<typeof content>

function getSettingsFile(dataDir: string): string {
  return path.join(dataDir, inDataFolder.settings)
}

/**
 * Reads the settings of a data folder, or the defaults if there is no file yet. A damaged file is renamed, and
 * `notice` tells the owner so. Throws `unavailable` if the file cannot be read, and `forbidden` if another user could
 * change it: the settings decide where plaintext may go.
 */
export function readSettingsFile(dataDir: string): { content: SettingsFile; notice?: string } {
  const file = getSettingsFile(dataDir)
  let text: string
  try {
    assertNotExposed(dataDir, file)
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { content: content.parse({}) }
    throw toStorageError(error, file)
  }
  try {
    return { content: content.parse(JSON.parse(text)) }
  } catch {
    return { content: content.parse({}), notice: setAside(file) }
  }
}

/** Replaces the settings of a data folder atomically. Throws `unavailable`, `storage_full`. */
export function writeSettingsFile(dataDir: string, next: SettingsFile): void {
  prepareDataDirectory(dataDir)
  writeAtomically(getSettingsFile(dataDir), `${JSON.stringify(next, undefined, 2)}\n`)
}

function setAside(file: string): string {
  const damagedFile = `${file.slice(0, -'.json'.length)}.damaged.json`
  try {
    fs.renameSync(file, damagedFile)
    return `${file} was damaged. It was renamed to ${path.basename(damagedFile)}, and the default settings are used.`
  } catch {
    return `${file} is damaged. The default settings are used, and the next change replaces the file.`
  }
}

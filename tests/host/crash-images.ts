import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { createTempFolder } from '../vault.ts'

const changes = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'renameSync',
  'fsyncSync',
  'rmSync',
  'unlinkSync',
] as const

/**
 * Returns a copy of a folder for each state that a kill of this process could leave: before each change that `act`
 * makes to a file, and after the last one. Writes by SQLite and by other threads do not trigger a copy, but the copies
 * include them. `act` may call `take` for an additional copy.
 */
export async function captureCrashImages(
  folder: string,
  act: (take: () => void) => unknown,
): Promise<string[]> {
  const home = createTempFolder()
  // Node loads the code of `cpSync` at its first use. That must happen before the functions below are replaced, or it
  // would use the replacements.
  fs.cpSync(createTempFolder(), path.join(home, 'first'), { recursive: true })
  const images: string[] = []
  let copying = false
  let before = ''
  const addImage = () => {
    if (copying) return
    copying = true
    const state = digestFolder(folder)
    if (state !== before) {
      const image = path.join(home, String(images.length + 1))
      fs.cpSync(folder, image, { recursive: true, filter: isSteady })
      images.push(image)
    }
    before = state
    copying = false
  }
  const originals = changes.map((name) => [name, fs[name]] as const)
  for (const [name, original] of originals) {
    const callAfterCopy = (...args: unknown[]) => {
      addImage()
      return (original as (...args: unknown[]) => unknown)(...args)
    }
    Object.assign(fs, { [name]: callAfterCopy })
  }
  try {
    await act(addImage)
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
  }
  addImage()
  return images
}

/**
 * Whether a file cannot be deleted while it is copied. The journals of a `.next` file can be, because other threads
 * write and delete them.
 */
function isSteady(file: string): boolean {
  return !/\.next-(journal|wal|shm)$/.test(file)
}

/** Returns a digest of all names and contents in a folder. */
function digestFolder(folder: string): string {
  const digest = createHash('sha256')
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    digest.update(`${file}\0`)
    // The index of a write-ahead log is left out, because it is rebuilt at every opening.
    if (entry.isFile() && isSteady(file) && !file.endsWith('-shm')) digest.update(fs.readFileSync(file))
  }
  return digest.digest('hex')
}

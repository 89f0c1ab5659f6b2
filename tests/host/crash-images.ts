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
 * Returns copies of a folder as it would be if this process were killed before each change of a file that `act`
 * makes, and after the last one: one copy for each different state. Writes of SQLite and of other threads are no
 * steps, but the copies include their results. `take` makes one more copy.
 */
export async function captureCrashImages(
  folder: string,
  act: (take: () => void) => unknown,
): Promise<string[]> {
  const home = createTempFolder()
  // Node loads the code that copies a folder at its first use, and would otherwise capture the functions that watch
  // this folder.
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
    const watched = (...args: unknown[]) => {
      addImage()
      return (original as (...args: unknown[]) => unknown)(...args)
    }
    Object.assign(fs, { [name]: watched })
  }
  try {
    await act(addImage)
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
  }
  addImage()
  return images
}

/** A file that another thread writes may vanish while it is copied. */
function isSteady(file: string): boolean {
  return !/\.next-(journal|wal|shm)$/.test(file)
}

/** A digest of every name and byte in a folder. */
function digestFolder(folder: string): string {
  const digest = createHash('sha256')
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    digest.update(`${file}\0`)
    // The index of a write-ahead log is rebuilt at every opening.
    if (entry.isFile() && isSteady(file) && !file.endsWith('-shm')) digest.update(fs.readFileSync(file))
  }
  return digest.digest('hex')
}

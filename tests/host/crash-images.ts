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
 * What a folder would hold if this process were killed before each change of a file that `act` makes, and after the
 * last: a copy of the folder for each that differs. SQLite's own writes and those of other threads are no steps, but
 * what they left so far is in the copies; `take` makes one more.
 */
export async function captureCrashImages(
  folder: string,
  act: (take: () => void) => unknown,
): Promise<string[]> {
  const home = createTempFolder()
  // Node loads what copies a folder at its first use, and would keep functions that watch this folder for good.
  fs.cpSync(createTempFolder(), path.join(home, 'first'), { recursive: true })
  const images: string[] = []
  let copying = false
  let before = ''
  const take = () => {
    if (copying) return
    copying = true
    const state = stateOf(folder)
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
      take()
      return (original as (...args: unknown[]) => unknown)(...args)
    }
    Object.assign(fs, { [name]: watched })
  }
  try {
    await act(take)
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
  }
  take()
  return images
}

/** What another thread writes may vanish while it is copied. */
function isSteady(file: string): boolean {
  return !/\.next-(journal|wal|shm)$/.test(file)
}

/** A digest of every name and byte in a folder. */
function stateOf(folder: string): string {
  const digest = createHash('sha256')
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    digest.update(`${file}\0`)
    // The index of a write-ahead log is made anew at every opening.
    if (entry.isFile() && isSteady(file) && !file.endsWith('-shm')) digest.update(fs.readFileSync(file))
  }
  return digest.digest('hex')
}

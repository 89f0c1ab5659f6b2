import fs from 'node:fs'
import path from 'node:path'
import { tempFolder } from '../vault.ts'

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
 * last: a copy of the folder for each. SQLite's own writes are no steps; what they left so far is in the copies.
 */
export async function crashImages(folder: string, act: () => unknown): Promise<string[]> {
  const home = tempFolder()
  const images: string[] = []
  let copying = false
  const take = () => {
    if (copying) return
    copying = true
    const image = path.join(home, String(images.length + 1))
    fs.cpSync(folder, image, { recursive: true })
    images.push(image)
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
    await act()
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
  }
  take()
  return images
}

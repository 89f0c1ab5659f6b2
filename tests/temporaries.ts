import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { getDataDirectory } from '../electron/host/files/data-dir.ts'

const memory = '/dev/shm'

/** The folder of this run in an in-memory file system, or null if none has space for the vaults of all tests. */
export const temporaries = inMemory()

/** The folder with the home of each process of this run (`own-home.ts`). */
export const homes = path.join(temporaries ?? os.tmpdir(), `coffer-homes-${process.pid}`)

/** The data folders of whoever runs the tests, which no test may touch (`not-at-home.cjs`). */
export const developers = [...new Set([getDataDirectory(), getDataDirectory({})])].join(path.delimiter)

function inMemory(): string | null {
  if (process.platform !== 'linux' || !fs.existsSync(memory)) return null
  const { bavail, bsize } = fs.statfsSync(memory)
  return bavail * bsize > 2 ** 32 ? path.join(memory, `coffer-tests-${process.pid}`) : null
}

/** Creates the folders, and removes them with everything that tests left in them. */
export default function setup(): () => void {
  if (temporaries !== null) {
    removeDead()
    fs.mkdirSync(temporaries, { recursive: true })
    // The mode is that of /tmp, independent of the umask, for tests that run commands as another user.
    fs.chmodSync(temporaries, 0o1777)
  }
  fs.mkdirSync(homes, { recursive: true })
  return () => {
    for (const each of [homes, temporaries])
      if (each !== null) fs.rmSync(each, { recursive: true, force: true })
  }
}

/** Removes the folders of killed runs. */
function removeDead(): void {
  for (const name of fs.readdirSync(memory)) {
    const pid = /^coffer-tests-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !fs.existsSync(`/proc/${pid}`)) {
      fs.rmSync(path.join(memory, name), { recursive: true, force: true })
    }
  }
}

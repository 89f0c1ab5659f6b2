import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { dataDirectory } from '../electron/host/files/data-dir.ts'

const memory = '/dev/shm'

/** The folder of this run in a file system in memory, or null where there is none with room for every test's vaults. */
export const temporaries = inMemory()

/** The folder in which each process of this run has a home of its own (`own-home.ts`). */
export const homes = path.join(temporaries ?? os.tmpdir(), `coffer-homes-${process.pid}`)

/** Where whoever runs the tests has vaults, which no test may touch (`not-at-home.cjs`). */
export const developers = [...new Set([dataDirectory(), dataDirectory({})])].join(path.delimiter)

function inMemory(): string | null {
  if (process.platform !== 'linux' || !fs.existsSync(memory)) return null
  const { bavail, bsize } = fs.statfsSync(memory)
  return bavail * bsize > 2 ** 32 ? path.join(memory, `coffer-tests-${process.pid}`) : null
}

/** Makes the folders, and removes them with what tests left in them. */
export default function setup(): () => void {
  if (temporaries !== null) {
    removeDead()
    fs.mkdirSync(temporaries, { recursive: true })
    // As /tmp is, for tests that run commands as another user; not subject to umask.
    fs.chmodSync(temporaries, 0o1777)
  }
  fs.mkdirSync(homes, { recursive: true })
  return () => {
    for (const each of [homes, temporaries])
      if (each !== null) fs.rmSync(each, { recursive: true, force: true })
  }
}

/** What runs that were killed have left. */
function removeDead(): void {
  for (const name of fs.readdirSync(memory)) {
    const pid = /^coffer-tests-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !fs.existsSync(`/proc/${pid}`)) {
      fs.rmSync(path.join(memory, name), { recursive: true, force: true })
    }
  }
}

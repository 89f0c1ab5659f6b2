import fs from 'node:fs'
import path from 'node:path'

const memory = '/dev/shm'

/** The folder of this run in a file system in memory, or null where there is none with room for every test's vaults. */
export const temporaries = inMemory()

function inMemory(): string | null {
  if (process.platform !== 'linux' || !fs.existsSync(memory)) return null
  const { bavail, bsize } = fs.statfsSync(memory)
  return bavail * bsize > 2 ** 32 ? path.join(memory, `coffer-tests-${process.pid}`) : null
}

/** Makes the folder, and removes it with what tests left in it. */
export default function setup(): (() => void) | undefined {
  if (temporaries === null) return undefined
  removeDead()
  fs.mkdirSync(temporaries, { recursive: true })
  // As /tmp is, for tests that run commands as another user; not subject to umask.
  fs.chmodSync(temporaries, 0o1777)
  return () => fs.rmSync(temporaries, { recursive: true, force: true })
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

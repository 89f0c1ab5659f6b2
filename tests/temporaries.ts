import fs from 'node:fs'
import path from 'node:path'

/** The folder of this run in a file system in memory, or null where there is none with room for every test's vaults. */
export const temporaries = inMemory()

function inMemory(): string | null {
  const memory = '/dev/shm'
  if (process.platform !== 'linux' || !fs.existsSync(memory)) return null
  const { bavail, bsize } = fs.statfsSync(memory)
  return bavail * bsize > 2 ** 32 ? path.join(memory, `coffer-tests-${process.pid}`) : null
}

/** Makes the folder, and removes it with what tests left in it. */
export default function setup(): (() => void) | undefined {
  if (temporaries === null) return undefined
  // Others may pass: some tests try what another user can reach.
  fs.mkdirSync(temporaries, { recursive: true, mode: 0o711 })
  return () => fs.rmSync(temporaries, { recursive: true, force: true })
}

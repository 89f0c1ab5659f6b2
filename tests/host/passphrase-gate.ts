import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'

/**
 * While it is shut, no passphrase becomes a key in this process and in those that it starts from now on: a test may act
 * in the middle of opening or making a vault, however fast the machine is. Open at first, and when the test ends.
 */
export function gatePassphrases() {
  const file = path.join(createTempFolder(), 'shut')
  const open = () => fs.rmSync(file, { force: true })
  vi.stubEnv('PASSPHRASES_WAIT_FOR', file)
  onTestFinished(() => {
    open()
    vi.unstubAllEnvs()
  })
  return { shut: () => fs.writeFileSync(file, ''), open }
}

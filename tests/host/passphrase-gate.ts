import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'

/**
 * While the gate is closed, no passphrase becomes a key in this process or in those that it starts from then on. A
 * test can then act while a vault is being opened or created, however fast the machine is. It is open at first, and
 * when the test ends.
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

import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'

/**
 * Returns a gate that is initially open. While it is shut, this process and those that it starts wait before they
 * derive a key from a passphrase, so that a test can act while a vault is being opened or created. The gate opens when
 * the test ends.
 */
export function gatePassphrases() {
  const file = path.join(createTempFolder(), 'shut')
  const openGate = () => fs.rmSync(file, { force: true })
  vi.stubEnv('PASSPHRASES_WAIT_FOR', file)
  onTestFinished(() => {
    openGate()
    vi.unstubAllEnvs()
  })
  return { closeGate: () => fs.writeFileSync(file, ''), openGate }
}

import { openVault } from '../../../electron/host/vault/open-vault.ts'
import type { OpenVault } from '../../../electron/host/vault/vault.ts'
import { CofferError } from '../../../shared/errors.ts'
import type { Incident } from '../../../shared/schemas/incident.ts'
import { sessionTime, vaultName } from './marks.ts'

/** Opens a vault with the first of these passphrases that is right. Rejects like `openVault`. */
export async function openImage(
  dataDir: string,
  passphrases: readonly string[],
  onIncident: (incident: Incident) => void = () => {},
): Promise<OpenVault> {
  for (const [index, passphrase] of passphrases.entries()) {
    try {
      const engine = { now: () => sessionTime, onIncident }
      return await openVault({ dataDir, name: vaultName, with: { passphrase }, engine })
    } catch (error) {
      const isLast = index === passphrases.length - 1
      if (isLast || !(error instanceof CofferError) || error.code !== 'unauthenticated') throw error
    }
  }
  throw new Error('no passphrase is known')
}

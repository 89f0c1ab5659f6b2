import type { JobWatch } from '../jobs/background.ts'
import type { OpenVault } from '../vault/vault.ts'

/**
 * Rotates the data key of an open vault, or resumes an interrupted rotation, while requests are served. Rejects as
 * `Engine.rotateDataKey` does.
 */
export function rotateDataKey(vault: OpenVault, watch: JobWatch = {}): Promise<void> {
  return vault.runExclusive(() =>
    vault.runRecorded('vault.rotateDataKey', () =>
      vault.withMaster((master) => vault.engine.lifecycle.rotateDataKey(master, vault.withLockAbort(watch))),
    ),
  )
}

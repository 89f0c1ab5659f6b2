import type { OpenVault } from '../vault/vault.ts'
import type { Watch } from '../work/background.ts'

/**
 * Changes the data key of an open vault, or resumes an interrupted change, while requests are served. Rejects as
 * `Engine.rotateDataKey` does.
 */
export function rotateDataKey(vault: OpenVault, watch: Watch = {}): Promise<void> {
  return vault.inTurn(() =>
    vault.recorded('vault.rotateDataKey', () =>
      vault.withMaster((master) => vault.engine.rotateDataKey(master, vault.watched(watch))),
    ),
  )
}

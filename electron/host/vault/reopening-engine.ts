import { CofferError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/index.ts'
import type { OpenVault } from './vault.ts'

/**
 * Returns the engine of an open vault for a long job, which continues while the master secret is changed. Its calls
 * throw `locked` once the vault is locked, and `cancelled` once it was reset or a snapshot was restored, because the
 * job was meant for the earlier tokens.
 */
export function createReopeningEngine(vault: OpenVault): Pick<Engine, 'tenant_id' | 'as' | 'readChunk'> {
  const { opening, tenant_id } = vault.engine
  const getEngine = () => {
    if (vault.engine.opening === opening) return vault.engine
    throw new CofferError(
      'cancelled',
      'The vault was reset, or a snapshot of it was restored. The rest of the job was skipped.',
    )
  }
  return {
    tenant_id,
    as: (caller, info) => getEngine().as(caller, info),
    readChunk: (document, number) => getEngine().readChunk(document, number),
  }
}

import { CofferError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/index.ts'
import type { OpenVault } from './vault.ts'

type ReopeningEngine = Pick<Engine, 'tenant_id' | 'as'> & {
  readonly documents: Pick<Engine['documents'], 'readChunk'>
}

/**
 * Returns the engine of an open vault for a long job, which continues while the master secret is changed. Its calls
 * throw `locked` once the vault is locked, and `cancelled` once it was reset or a snapshot was restored, because the
 * job was meant for the earlier tokens.
 */
export function createReopeningEngine(vault: OpenVault): ReopeningEngine {
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
    documents: { readChunk: (document, number) => getEngine().documents.readChunk(document, number) },
  }
}

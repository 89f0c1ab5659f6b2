import { CofferError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OpenVault } from './vault.ts'

/**
 * The engine of an open vault for long work, which goes on while the master secret is changed. Its calls throw `locked`
 * once the vault is locked, and `cancelled` once it has been reset or a snapshot was restored: the work was meant for
 * the tokens of before.
 */
export function createReopeningEngine(vault: OpenVault): Pick<Engine, 'tenant_id' | 'as' | 'readChunk'> {
  const { opening, tenant_id } = vault.engine
  const getEngine = () => {
    if (vault.engine.opening === opening) return vault.engine
    throw new CofferError(
      'cancelled',
      'The vault was reset, or a snapshot of it was restored. What was not done by then is left as it is.',
    )
  }
  return {
    tenant_id,
    as: (caller, info) => getEngine().as(caller, info),
    readChunk: (document, number) => getEngine().readChunk(document, number),
  }
}

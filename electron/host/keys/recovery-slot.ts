import type { Header } from '../files/header.ts'
import { wrapMaster } from './master.ts'
import { newRecoveryKey, parseRecoveryKey, recoveryWrappingKey } from './recovery-key.ts'

/** A new recovery key, to be shown once, and the header's slot for it. */
export function newRecoverySlot(
  master: Buffer,
  vault_id: string,
): { recovery_key: string; recovery: Header['recovery'] } {
  const recovery_key = newRecoveryKey()
  const secret = parseRecoveryKey(recovery_key)
  const key = recoveryWrappingKey(secret, vault_id)
  const wrapped = wrapMaster(master, key, vault_id, 'recovery')
  secret.fill(0)
  key.fill(0)
  return { recovery_key, recovery: { wrapped } }
}

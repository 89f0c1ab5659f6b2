import { useSession } from '../connection/session.ts'
import { createVaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast } from '../messages/toast.tsx'

/** Whether the confirmation for locking an in-memory vault is open. */
export const useLockQuestion = createVaultStore(() => ({ isOpen: false }))

/** Locks the vault without asking. The window clears itself when the host reports the lock. */
export async function lockNow(): Promise<void> {
  await host.lock().catch(showFailureToast)
}

/** Locks the vault. Asks first if that would delete it. */
export async function lockVault(): Promise<void> {
  if (useSession.getState().status?.vault?.protection === 'memory') useLockQuestion.setState({ isOpen: true })
  else await lockNow()
}

import { useSession } from '../connection/session.ts'
import { createVaultStore } from '../connection/store.ts'
import { host } from '../connection/vault.ts'
import { showFailureToast } from '../messages/toast.tsx'

/** Whether the owner is being asked to confirm locking an in-memory vault. */
export const useLockQuestion = createVaultStore(() => ({ isOpen: false }))

/** Locks the vault at once; the window clears itself when the host reports the lock. */
export async function lockNow(): Promise<void> {
  try {
    await host.host.lock()
  } catch (error) {
    showFailureToast(error)
  }
}

/** Locks the vault, after asking if that would delete it. */
export async function lockVault(): Promise<void> {
  if (useSession.getState().status?.vault?.protection === 'memory') useLockQuestion.setState({ isOpen: true })
  else await lockNow()
}

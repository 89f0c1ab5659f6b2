import { toastFailure } from '../toast.tsx'
import { host } from '../vault.ts'

/** Locks the vault; the window clears itself when the host says that it is locked. */
export async function lockVault(): Promise<void> {
  try {
    await host.host.lock()
  } catch (error) {
    toastFailure(error)
  }
}

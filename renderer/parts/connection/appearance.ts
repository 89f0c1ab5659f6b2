import type { HostSettings } from '../../../shared/host/settings.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { host } from './vault.ts'

/** Stores the appearance on the host, for every vault on this machine. */
export async function setAppearance(appearance: HostSettings['appearance']): Promise<void> {
  try {
    await host.updateSettings({ appearance })
  } catch (error) {
    showFailureToast(error)
  }
}

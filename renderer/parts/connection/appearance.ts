import type { HostSettings } from '../../../shared/host.ts'
import { toastFailure } from '../messages/toast.tsx'
import { host } from './vault.ts'

/** Light, dark, or as the system is; kept by the host for every vault of this machine. */
export async function setAppearance(appearance: HostSettings['appearance']): Promise<void> {
  try {
    await host.host.updateSettings({ appearance })
  } catch (error) {
    toastFailure(error)
  }
}

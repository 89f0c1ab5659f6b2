import type { HostSettings } from '../../../shared/host/settings.ts'
import { showFailureToast } from '../messages/toast.tsx'
import { host } from './vault.ts'

/** Stores the appearance or the language of code on the host, for every vault on this machine. */
export async function setPreference(
  preference: Partial<Pick<HostSettings, 'appearance' | 'language'>>,
): Promise<void> {
  await host.updateSettings(preference).catch(showFailureToast)
}

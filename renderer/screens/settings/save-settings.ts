import type { HostSettings } from '../../../shared/host.ts'
import { host } from '../../parts/connection/vault.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

/** Saves settings of this machine, with an undo. Throws the host's error. */
export async function saveSettings(patch: Partial<HostSettings>, before: HostSettings): Promise<void> {
  await host.host.updateSettings(patch)
  const undo = Object.fromEntries(
    Object.keys(patch).map((name) => [name, before[name as keyof HostSettings]]),
  )
  toast(strings.saved, { undo: () => host.host.updateSettings(undo) })
}

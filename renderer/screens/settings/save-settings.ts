import type { HostSettings } from '../../../shared/host/settings.ts'
import { useSession } from '../../parts/connection/session.ts'
import { host } from '../../parts/connection/vault.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { findChanges, formatSaved } from './saved-text.ts'

/** Saves settings of this machine, names them in a toast, and offers to undo the change. Throws the host's error. */
export async function saveSettings(patch: Partial<HostSettings>): Promise<void> {
  const before = useSession.getState().status?.settings
  if (!before) return
  const changed = findChanges(patch, before)
  if (Object.keys(changed).length === 0) {
    showToast(formatSaved([]))
    return
  }
  await host.updateSettings(changed)
  const names = Object.keys(changed) as (keyof HostSettings)[]
  const undo = Object.fromEntries(names.map((name) => [name, before[name]]))
  showToast(formatSaved(names), { undo: () => host.updateSettings(undo) })
}

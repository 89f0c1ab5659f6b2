import { type HostSettings, hostSettings } from '../../../shared/host/settings.ts'

export function formatSaved(changed: readonly (keyof HostSettings)[]): string {
  return changed.length === 0
    ? 'Nothing was changed'
    : `Saved: ${changed.map((name) => hostSettings.shape[name].meta()?.title).join(', ')}`
}

/** The settings of a patch that differ from the current ones. */
export function findChanges(patch: Partial<HostSettings>, before: HostSettings): Partial<HostSettings> {
  return Object.fromEntries(
    Object.entries(patch).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof HostSettings]),
    ),
  )
}

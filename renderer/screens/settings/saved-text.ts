import type { HostSettings } from '../../../shared/host/settings.ts'

const names = {
  port: 'port',
  origins: 'allowed web origins',
  hosts: 'additional host names',
  destinations: 'destinations',
  reactors: 'running code',
  listen_on_unlock: 'starting the listener',
  auto_lock_minutes: 'automatic locking',
  appearance: 'appearance',
  backup_daily: 'daily backups',
  backups_kept: 'number of daily backups',
  first_steps_hidden: 'first steps',
  grids: 'columns of the lists',
} as const satisfies Record<keyof HostSettings, string>

/** Describes which settings were saved. */
export function formatSaved(changed: readonly (keyof HostSettings)[]): string {
  return changed.length === 0
    ? 'Nothing was changed'
    : `Saved: ${changed.map((name) => names[name]).join(', ')}`
}

/** The settings of a patch that differ from the current ones. */
export function findChanges(patch: Partial<HostSettings>, before: HostSettings): Partial<HostSettings> {
  return Object.fromEntries(
    Object.entries(patch).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof HostSettings]),
    ),
  )
}

import type { KeyUse } from './uses-store.ts'

/** A new key beside the old one that is to go. */
export type Rotation = { readonly fresh: KeyUse; readonly old: KeyUse }

/** The rotation that an application is in the middle of, the latest where there are more. */
export function rotationOf(keys: readonly KeyUse[]): Rotation | null {
  for (const fresh of keys) {
    const old = keys.find(({ id }) => id === fresh.replaces)
    if (old) return { fresh, old }
  }
  return null
}

/** Whether the new key has been used, and the old one not since. */
export function isQuiet({ fresh, old }: Rotation): boolean {
  if (fresh.last_used_at === null) return false
  return old.last_used_at === null || old.last_used_at < fresh.last_used_at
}

import type { KeyUseSummary } from './uses-store.ts'

/** A new key, and the old key that it replaces. */
export type Rotation = { readonly fresh: KeyUseSummary; readonly old: KeyUseSummary }

/** An application's unfinished rotation, the latest if there are several; null if there is none. */
export function findRotation(keys: readonly KeyUseSummary[]): Rotation | null {
  for (const fresh of keys) {
    const old = keys.find(({ id }) => id === fresh.replaces)
    if (old) return { fresh, old }
  }
  return null
}

/** Whether the new key has been used and the old key has not been used since. */
export function isOldKeyUnused({ fresh, old }: Rotation): boolean {
  if (fresh.last_used_at === null) return false
  return old.last_used_at === null || old.last_used_at < fresh.last_used_at
}

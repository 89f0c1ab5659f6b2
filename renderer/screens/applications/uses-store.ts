import { keepCurrent } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

export type KeyUse = Awaited<ReturnType<typeof vault.stats.keys>>[number]

export type Uses = {
  /** Every key in the vault with its hint and last use, newest first. */
  readonly keys: readonly KeyUse[]
  /** When each application was last used, by a key or without one; null for never. */
  readonly lastUses: ReadonlyMap<string, string | null>
  /** False until the first load: nothing is known before. */
  readonly loaded: boolean
}

export const useKeyUses = vaultStore<Uses>(() => ({ keys: [], lastUses: new Map(), loaded: false }))

const readings = latest()

/** Reloads the keys. */
export async function loadKeyUses(): Promise<void> {
  const isWanted = readings.again()
  const [keys, applications] = await Promise.all([vault.stats.keys({}), vault.stats.applications()])
  const lastUses = new Map(applications.map(({ id, last_used_at }) => [id, last_used_at]))
  if (isWanted()) useKeyUses.setState({ keys, lastUses, loaded: true })
}

/** Keeps the keys current as they change and are used; returns a function that stops it. */
export const followKeyUses = (): (() => void) =>
  keepCurrent(loadKeyUses, ['application', 'application_key', 'key_use'])

/** The keys of one application, newest first. */
export function useKeysOf(application_id: string): readonly KeyUse[] {
  return useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
}

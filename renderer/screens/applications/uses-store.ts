import { keepCurrent } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

export type KeyUse = Awaited<ReturnType<typeof vault.stats.keys>>[number]

export type Uses = {
  /** Every key of the vault, newest first: its hint, and when it was last used. */
  readonly keys: readonly KeyUse[]
  /** When each application was last used, by a key it has or had; null for never. */
  readonly lastUses: ReadonlyMap<string, string | null>
  /** Nothing of this is known before. */
  readonly loaded: boolean
}

export const useKeyUses = vaultStore<Uses>(() => ({ keys: [], lastUses: new Map(), loaded: false }))

const readings = latest()

/** Reads the keys again. */
export async function loadKeyUses(): Promise<void> {
  const isWanted = readings.again()
  const [keys, applications] = await Promise.all([vault.stats.keys({}), vault.stats.applications()])
  const lastUses = new Map(applications.map(({ id, last_used_at }) => [id, last_used_at]))
  if (isWanted()) useKeyUses.setState({ keys, lastUses, loaded: true })
}

/** Keeps the keys up to date with what is done to them and with their uses; gives what ends it. */
export const followKeyUses = (): (() => void) =>
  keepCurrent(loadKeyUses, ['application', 'application_key', 'key_use'])

/** The keys of one application, newest first. */
export function useKeysOf(application_id: string): readonly KeyUse[] {
  return useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
}

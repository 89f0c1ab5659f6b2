import { createFollowedValue } from '../../parts/connection/followed-value.ts'
import { vault } from '../../parts/connection/vault.ts'

export type KeyUseSummary = Awaited<ReturnType<typeof vault.stats.keys>>[number]

export type KeyUsesState = {
  /** Every key in the vault with its hint and last use, newest first. */
  readonly keys: readonly KeyUseSummary[]
  /** When each application was last used, with or without a key; null if never. */
  readonly lastUses: ReadonlyMap<string, string | null>
  readonly loaded: boolean
}

const keyUses = createFollowedValue<KeyUsesState>(
  { keys: [], lastUses: new Map(), loaded: false },
  ['application', 'application_key', 'key_use'],
  async () => {
    const [keys, applications] = await Promise.all([vault.stats.keys({}), vault.stats.applications()])
    const lastUses = new Map(applications.map(({ id, last_used_at }) => [id, last_used_at]))
    return { keys, lastUses, loaded: true }
  },
)
export const { useValue: useKeyUses, load: loadKeyUses, follow: followKeyUses } = keyUses

export function useApplicationKeys(application_id: string): readonly KeyUseSummary[] {
  return useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
}

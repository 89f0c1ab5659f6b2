import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

export type KeyUseSummary = Awaited<ReturnType<typeof vault.stats.keys>>[number]

export type KeyUsesState = {
  /** Every key in the vault with its hint and last use, newest first. */
  readonly keys: readonly KeyUseSummary[]
  /** When each application was last used, with or without a key; null if never. */
  readonly lastUses: ReadonlyMap<string, string | null>
  readonly loaded: boolean
}

export const useKeyUses = createVaultStore<KeyUsesState>(() => ({
  keys: [],
  lastUses: new Map(),
  loaded: false,
}))

const latestLoad = createRequestGuard()

export async function loadKeyUses(): Promise<void> {
  const isCurrent = latestLoad.repeat()
  const [keys, applications] = await Promise.all([vault.stats.keys({}), vault.stats.applications()])
  const lastUses = new Map(applications.map(({ id, last_used_at }) => [id, last_used_at]))
  if (isCurrent()) useKeyUses.setState({ keys, lastUses, loaded: true })
}

export const followKeyUses = (): (() => void) =>
  keepCurrent(loadKeyUses, ['application', 'application_key', 'key_use'])

export function useApplicationKeys(application_id: string): readonly KeyUseSummary[] {
  return useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
}

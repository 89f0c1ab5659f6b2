import { passOver } from '../../parts/connection/incidents.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { onLog } from '../../parts/connection/session.ts'
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

/** Reads the keys anew. */
export async function loadKeyUses(): Promise<void> {
  const [keys, applications] = await Promise.all([vault.stats.keys({}), vault.stats.applications()])
  const lastUses = new Map(applications.map(({ id, last_used_at }) => [id, last_used_at]))
  useKeyUses.setState({ keys, lastUses, loaded: true })
}

const WAIT_MS = 500

/** Keeps the keys up to date with what is recorded, at most twice a second; gives what ends it. */
export function followKeyUses(): () => void {
  const read = () => loadKeyUses().catch(passOver)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopLoading = keepLoaded(read)
  const stop = onLog(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      read()
    }, WAIT_MS)
  })
  return () => {
    stopLoading()
    stop()
    clearTimeout(timer)
  }
}

/** The keys of one application, newest first. */
export function useKeysOf(application_id: string): readonly KeyUse[] {
  return useKeyUses((state) => state.keys).filter((key) => key.application_id === application_id)
}

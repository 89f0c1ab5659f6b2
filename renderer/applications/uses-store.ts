import { keepLoaded } from '../reach.ts'
import { onLog } from '../session.ts'
import { vaultStore } from '../store.ts'
import { vault } from '../vault.ts'

export type KeyUse = Awaited<ReturnType<typeof vault.stats.keys>>[number]

type Uses = { readonly keys: readonly KeyUse[]; readonly loaded: boolean }

/** Every key of the vault, with when it was last used. */
export const useKeyUses = vaultStore<Uses>(() => ({ keys: [], loaded: false }))

/** Reads the keys anew. */
export async function loadKeyUses(): Promise<void> {
  useKeyUses.setState({ keys: await vault.stats.keys({}), loaded: true })
}

const WAIT_MS = 500

/** Keeps the keys up to date with what is recorded, at most twice a second; gives what ends it. */
export function followKeyUses(): () => void {
  const read = () => loadKeyUses().catch(() => undefined)
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

/** When an application last called; null for never. */
export function lastUseOf(keys: readonly KeyUse[], application_id: string): string | null {
  const uses = keys
    .filter((key) => key.application_id === application_id)
    .map((key) => key.last_used_at ?? '')
  return uses.toSorted().at(-1) || null
}

import type { SavedSearch } from '../../../shared/find.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createVaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'

type SavedState = {
  /** The saved filters of all lists, by name; null until loaded. */
  readonly saved: readonly SavedSearch[] | null
  readonly problem: unknown
}

export const useSaved = createVaultStore<SavedState>(() => ({ saved: null, problem: null }))

const latestLoad = createRequestGuard()

export async function loadSaved(): Promise<void> {
  const isCurrent = latestLoad.start()
  try {
    const { data } = await vault.tokens.savedSearches()
    if (isCurrent()) useSaved.setState({ saved: data, problem: null })
  } catch (problem) {
    if (isCurrent()) useSaved.setState({ problem })
  }
}

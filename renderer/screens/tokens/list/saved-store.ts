import type { SavedSearch } from '../../../../shared/find.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'

type SavedSearchesState = {
  /** Null until loaded. */
  readonly saved: readonly SavedSearch[] | null
  readonly problem: unknown
}

export const useSaved = createVaultStore<SavedSearchesState>(() => ({ saved: null, problem: null }))

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

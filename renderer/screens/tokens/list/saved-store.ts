import type { SavedSearch } from '../../../../shared/find.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'

type Saved = {
  /** Null until they have been read. */
  readonly saved: readonly SavedSearch[] | null
  readonly problem: unknown
}

export const useSaved = vaultStore<Saved>(() => ({ saved: null, problem: null }))

const reading = latest()

/** Reads the searches kept with the vault. */
export async function loadSaved(): Promise<void> {
  const isWanted = reading.begin()
  try {
    const { data } = await vault.tokens.savedSearches()
    if (isWanted()) useSaved.setState({ saved: data, problem: null })
  } catch (problem) {
    if (isWanted()) useSaved.setState({ problem })
  }
}

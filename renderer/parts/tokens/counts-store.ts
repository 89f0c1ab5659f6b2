import { keepCurrent } from '../connection/change-subscription.ts'
import { createRequestGuard } from '../connection/request-guard.ts'
import { createVaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'
import type { Count } from './counts.ts'

type TokenCountsState = {
  readonly total: number
  readonly types: readonly { readonly type: string; readonly tokens: number }[]
  readonly counts: readonly Count[]
  readonly loaded: boolean
}

/** The number of tokens by type and container, as the owner sees them. */
export const useCounts = createVaultStore<TokenCountsState>(() => ({
  total: 0,
  types: [],
  counts: [],
  loaded: false,
}))

const readings = createRequestGuard()

export async function loadCounts(): Promise<void> {
  const isCurrent = readings.repeat()
  const counts = await vault.stats.tokens()
  if (isCurrent()) useCounts.setState({ ...counts, loaded: true })
}

export const followCounts = (): (() => void) => keepCurrent(loadCounts, ['token'])

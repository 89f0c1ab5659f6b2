import { keepCurrent } from '../connection/follow.ts'
import { latest } from '../connection/latest.ts'
import { vaultStore } from '../connection/store.ts'
import { vault } from '../connection/vault.ts'
import type { Count } from './counts.ts'

type Counts = {
  readonly total: number
  readonly types: readonly { readonly type: string; readonly tokens: number }[]
  readonly counts: readonly Count[]
  readonly loaded: boolean
}

/** How many tokens there are, by type and container, as the owner. */
export const useCounts = vaultStore<Counts>(() => ({ total: 0, types: [], counts: [], loaded: false }))

const readings = latest()

/** Counts again. */
export async function loadCounts(): Promise<void> {
  const isWanted = readings.again()
  const counts = await vault.stats.tokens()
  if (isWanted()) useCounts.setState({ ...counts, loaded: true })
}

/** Keeps the counts up to date with the tokens; gives what ends it. */
export const followCounts = (): (() => void) => keepCurrent(loadCounts, ['token'])

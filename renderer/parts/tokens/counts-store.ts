import { createFollowedValue } from '../connection/followed-value.ts'
import { vault } from '../connection/vault.ts'
import type { Count } from './counts.ts'

type TokenCountsState = {
  readonly total: number
  readonly types: readonly { readonly type: string; readonly tokens: number }[]
  readonly counts: readonly Count[]
  readonly loaded: boolean
}

/** The number of tokens by type and container, as the owner sees them. */
const tokenCounts = createFollowedValue<TokenCountsState>(
  { total: 0, types: [], counts: [], loaded: false },
  ['token'],
  async () => ({ ...(await vault.stats.tokens()), loaded: true }),
)
export const { useValue: useCounts, load: loadCounts, follow: followCounts } = tokenCounts

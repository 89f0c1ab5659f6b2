import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

type ExchangesState = {
  readonly exchanges: readonly ExchangeSummary[]
  readonly loaded: boolean
  /** Why the calls could not be loaded. */
  readonly problem: unknown
}

/** The kept calls of proxies, newest first. */
export const useExchanges = createVaultStore<ExchangesState>(() => ({
  exchanges: [],
  loaded: false,
  problem: null,
}))

const latestLoad = createRequestGuard()

/** Reloads the kept calls, of which there are two pages at most. */
export async function loadExchanges(): Promise<void> {
  const isCurrent = latestLoad.repeat()
  const first = await vault.exchanges.list({ size: 100 })
  const second =
    first.pagination.total_pages > 1 ? await vault.exchanges.list({ size: 100, page: 2 }) : { data: [] }
  // A call that was kept meanwhile moves others to the second page.
  const all = new Map([...first.data, ...second.data].map((each) => [each.id, each]))
  if (isCurrent()) useExchanges.setState({ exchanges: [...all.values()], loaded: true, problem: null })
}

/** Reloads the kept calls. On failure the known ones stay, and `problem` says why. */
export function readExchanges(): Promise<void> {
  const isOpen = createOpenCheck()
  return loadExchanges().catch((problem) => {
    if (isOpen()) useExchanges.setState({ problem })
  })
}

/** Keeps the kept calls current; returns a function that stops it. */
export const followExchanges = (): (() => void) => keepCurrent(readExchanges, ['exchange'])

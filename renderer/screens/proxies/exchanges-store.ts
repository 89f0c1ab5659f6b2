import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createOpenCheck, createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

type ExchangesState = {
  readonly exchanges: readonly ExchangeSummary[]
  readonly loaded: boolean
  /** The error of the last load; null if it succeeded. */
  readonly problem: unknown
}

/** The saved calls of proxies, newest first. */
export const useExchanges = createVaultStore<ExchangesState>(() => ({
  exchanges: [],
  loaded: false,
  problem: null,
}))

const latestLoad = createRequestGuard()

/** Reloads the saved calls, which fill at most two pages. */
export async function loadExchanges(): Promise<void> {
  const isCurrent = latestLoad.repeat()
  const first = await vault.exchanges.list({ size: 100 })
  const second =
    first.pagination.total_pages > 1 ? await vault.exchanges.list({ size: 100, page: 2 }) : { data: [] }
  // A call saved between the two reads can move another one from the first page to the second, so both
  // responses can contain that call.
  const all = new Map([...first.data, ...second.data].map((each) => [each.id, each]))
  if (isCurrent()) useExchanges.setState({ exchanges: [...all.values()], loaded: true, problem: null })
}

/** Reloads the saved calls. If loading fails, the calls already loaded stay and `problem` is set. */
export function readExchanges(): Promise<void> {
  const isOpen = createOpenCheck()
  return loadExchanges().catch((problem) => {
    if (isOpen()) useExchanges.setState({ problem })
  })
}

/** Reloads the saved calls whenever they change. Returns a function that unsubscribes. */
export const followExchanges = (): (() => void) => keepCurrent(readExchanges, ['exchange'])

import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { createLoadedList } from '../../parts/connection/loaded-list.ts'
import { vault } from '../../parts/connection/vault.ts'

/** The saved calls of proxies, newest first. They fill at most two pages. */
export const exchangeList = createLoadedList<ExchangeSummary>(async () => {
  const first = await vault.exchanges.list({ size: 100 })
  const second =
    first.pagination.total_pages > 1 ? await vault.exchanges.list({ size: 100, page: 2 }) : { data: [] }
  // A call saved between the two reads can move another one from the first page to the second, so both
  // responses can contain that call.
  const all = new Map([...first.data, ...second.data].map((each) => [each.id, each]))
  return { items: [...all.values()], total: all.size }
})
export const { useList: useExchanges, load: loadExchanges } = exchangeList

export const followExchanges = (): (() => void) => keepCurrent(exchangeList.read, ['exchange'])

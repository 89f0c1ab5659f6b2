import { useEffect } from 'react'
import type { SavedSearch } from '../../../shared/find.ts'
import { followChanges, followRecords } from '../../parts/connection/change-subscription.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { toSavedHref } from '../../parts/filters/saved-href.ts'
import { parseRoute } from '../../parts/navigation/route-text.ts'
import { toOwnerLogQuery, toRecordFilter } from '../../screens/requests/record.ts'
import { isQuery, toFilters, toFind } from '../../screens/tokens/list/token-filters.ts'
import styles from './frame.module.css'

/** The pause between two counts, however often rows change. */
const PAUSE_MS = 2000

/** How many rows a pinned filter has now. Nothing where that is not known without reading too many rows. */
export function PinnedCount({ search }: { search: SavedSearch }) {
  const { screen, query } = search
  const { value, load } = useLoaded(() => countRows(search), { about: `${screen}?${query}` })
  useEffect(
    () => (screen === 'requests' ? followRecords(load, PAUSE_MS) : followChanges(['token'], load, PAUSE_MS)),
    [screen, load],
  )
  return typeof value === 'number' && <span className={styles.railCount}>{value.toLocaleString('en')}</span>
}

async function countRows(search: SavedSearch): Promise<number | null> {
  const { screen, query } = parseRoute(toSavedHref(search))
  if (screen === 'requests') {
    const filter = toOwnerLogQuery(toRecordFilter(query))
    const { pagination } = await vault.logs.find({ ...filter, page: 1, size: 1 })
    return pagination.total_items ?? null
  }
  const filters = toFilters(query)
  if (screen !== 'tokens' || isQuery(filters.q ?? '')) return null
  const { total, isExact } = await vault.tokens.findCount({ find: toFind(filters) })
  return isExact ? total : null
}

import { useMemo } from 'react'
import { type Filter, formatFilter, isFiltered, parseFilter } from '../../../shared/conditions.ts'
import { navigate, useRoute } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import type { FilterFieldOf } from './filter-fields.ts'

/** The filter in the route's query, and the properties of its bar. A change leads to the first page. */
export function useRouteFilter<Field extends string>(fields: readonly FilterFieldOf<Field>[]) {
  const { screen, id, query } = useRoute()
  const { q = '', start: _, ...others } = query
  const names = JSON.stringify(fields.map(({ field }) => field))
  const filter = useMemo(() => parseFilter<Field>(q, JSON.parse(names)), [q, names])
  const onFilter = (next: Filter<Field>) =>
    navigate(toHref(screen, id, { ...others, q: formatFilter(next) }), { replace: true })
  return {
    filter,
    q: formatFilter(filter),
    isActive: isFiltered(filter),
    bar: { fields, filter, onFilter },
  }
}

import { useMemo } from 'react'
import {
  checkComparisons,
  type Filter,
  formatFilter,
  isFiltered,
  parseFilter,
} from '../../../shared/conditions.ts'
import { describeError } from '../messages/describe-error.ts'
import { navigate, useRoute } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import type { FilterFieldOf } from './filter-fields.ts'

/** The filter in the route's query, what is wrong with its comparisons of `numbers`, and the properties of its bar. */
export function useRouteFilter<Field extends string>(
  fields: readonly FilterFieldOf<Field>[],
  numbers: readonly Field[] = [],
) {
  const { screen, id, query } = useRoute()
  const { q = '', start: _, ...others } = query
  const names = JSON.stringify(fields.map(({ field }) => field))
  const filter = useMemo(() => parseFilter<Field>(q, JSON.parse(names)), [q, names])
  const onFilter = (next: Filter<Field>) =>
    navigate(toHref(screen, id, { ...others, q: formatFilter(next) }), { replace: true })
  return {
    filter,
    q: formatFilter(filter),
    problem: findProblem(filter, numbers),
    isActive: isFiltered(filter),
    bar: { fields, filter, onFilter },
  }
}

function findProblem<Field extends string>(
  { conditions }: Filter<Field>,
  numbers: readonly Field[],
): string | null {
  try {
    checkComparisons(conditions, numbers)
    return null
  } catch (error) {
    return describeError(error)
  }
}

import type { FindPageResult } from '../../../../shared/find.ts'
import { createVaultState } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { toFind } from './token-filters.ts'
import { isOwnerList, PAGE_SIZE, type PageStart, readPage, tokenList, useTokens } from './tokens-store.ts'

const { getState, setState } = useTokens

/** How many rows above the wanted one are loaded with it. */
const ROWS_ABOVE = 40

/** The row to load once the one before it has loaded; null if none is waiting. */
const pending = createVaultState<{ index: number | null; isBusy: boolean }>(() => ({
  index: null,
  isBusy: false,
}))

/**
 * Loads the rows around an index, in place of the loaded ones. If the view moves on while they load, only the rows
 * of its latest place are loaded next.
 */
export async function showRowsAt(index: number): Promise<void> {
  const { current } = pending
  current.index = index
  if (current.isBusy) return
  current.isBusy = true
  while (current.index !== null) {
    const wanted = current.index
    current.index = null
    await loadRowsAt(wanted)
  }
  current.isBusy = false
}

/** Returns the index of the first row that is as old as a time; null if it cannot be found. */
export async function findRowAt(until: string): Promise<number | null> {
  const isCurrent = tokenList.join()
  try {
    const { skipped } = await findPlace({ until }, isCurrent)
    return isCurrent() ? skipped : null
  } catch (problem) {
    showFailureToast(problem)
    return null
  }
}

async function loadRowsAt(index: number): Promise<void> {
  const { filters, total } = getState()
  // The list of a key can be read only from its start.
  if (!isOwnerList(filters)) return
  const isCurrent = tokenList.start()
  setState({ loading: true, problem: null })
  try {
    const skip = Math.max(0, index - ROWS_ABOVE)
    const fromEnd = total === null ? Infinity : Math.max(0, total - skip - PAGE_SIZE)
    const wanted =
      fromEnd < skip
        ? { skip: fromEnd, backwards: true }
        : { skip: Math.min(skip, total ?? skip), backwards: false }
    await showRows(await findPlace(wanted, isCurrent), isCurrent)
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

type FoundPlace = PageStart & { readonly skipped: number }
type WantedPlace = { readonly until: string } | { readonly skip: number; readonly backwards: boolean }

/** Asks for a place in as many requests as the vault needs to find it. */
async function findPlace(wanted: WantedPlace, isCurrent: () => boolean): Promise<FoundPlace> {
  const { filters, sort } = getState()
  const query = { find: toFind(filters), sort }
  let found: FoundPlace = { start: null, skipped: 0, backwards: 'skip' in wanted && wanted.backwards }
  while (true) {
    const start = found.start === null ? {} : { start: found.start }
    const rest = 'until' in wanted ? wanted : { ...wanted, skip: wanted.skip - found.skipped }
    const step = await vault.tokens.findPlace({ ...query, ...start, ...rest })
    found = { ...found, start: step.place, skipped: found.skipped + step.skipped }
    if (step.isComplete || !isCurrent()) return found
  }
}

/** Shows the first page from a place that has rows: a page may be empty, although more follow (rule R-03). */
async function showRows(found: FoundPlace, isCurrent: () => boolean): Promise<void> {
  const { filters } = getState()
  let next: PageStart | null = found
  while (next !== null && isCurrent()) {
    const page: PageStart = next
    await readPage(filters, page, ({ data, pagination, building = null }) => {
      const end = pagination.next ?? null
      next = data.length === 0 && end !== null ? { ...found, start: end } : null
      if (!isCurrent() || next !== null) return
      const rows = placeRows(found, data, { end, beginning: pagination.previous ?? null })
      setState({ ...rows, building, loading: false })
    })
  }
}

type PageEnds = { readonly end: string | null; readonly beginning: string | null }

/** Where the rows of a page are in the list, and the cursors of the pages on both sides. */
function placeRows(
  { skipped, backwards }: FoundPlace,
  data: FindPageResult['data'],
  { end, beginning }: PageEnds,
) {
  const outer = skipped === 0 ? null : beginning
  if (!backwards) return { rows: data, above: skipped, next: end, previous: outer }
  const above = end === null ? 0 : Math.max(0, (getState().total ?? 0) - skipped - data.length)
  return { rows: data.toReversed(), above, next: outer, previous: end }
}

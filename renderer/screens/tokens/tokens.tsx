import { type ReactNode, type RefObject, useEffect, useMemo } from 'react'
import type { Find, TokenSort } from '../../../shared/find.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { BulkBar } from '../../parts/bulk/bulk-bar.tsx'
import { BulkDialog } from '../../parts/bulk/bulk-dialog.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { Pinnable } from '../../parts/navigation/pinnable.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref, type WindowRoute } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { isSelected } from '../../ui/grid/selection.ts'
import type { GridHandle } from '../../ui/grid/use-grid-view.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { isGone } from './drawer/drawer-store.ts'
import { PinnedToken } from './drawer/token-drawer.tsx'
import { EditBar } from './list/edit-bar.tsx'
import { FilterBar } from './list/filter-bar.tsx'
import { GoToDate } from './list/go-to-date.tsx'
import { findRowAt } from './list/show-place.ts'
import { listMetadataKeys } from './list/token-columns.tsx'
import {
  type FilterName,
  type Filters,
  isQuery,
  toFilters,
  toFind,
  toSort,
  withFilter,
} from './list/token-filters.ts'
import { TokenList } from './list/token-list.tsx'
import { markTokensSeen, showTokens, sortBy, useTokens } from './list/tokens-store.ts'
import { strings as t } from './strings.ts'
import { useTokenActions } from './token-actions.ts'
import { TokenPanel, type TokenPanelMode } from './token-panel.tsx'
import { useDrawerToken, useTokenRows } from './use-token-data.ts'
import { useTokenSelection } from './use-token-selection.ts'

/** The list of tokens, with a panel for one of them. */
export function Tokens() {
  const { id, query } = useRoute()
  const rows = useTokens((state) => state.rows)
  const { filters, filterKey, sort, as, mayRead } = useTokenFilters()
  useTokenRows(filters, sort, mayRead)
  useDrawerToken(id, Boolean(query.edit))

  // Selected one by one, because a list that only begins to load does not render the screen again.
  const isComplete = useTokens(({ above, next }) => above === 0 && next === null)
  const total = useTokens((state) => (state.isExact ? state.total : null))
  const many = useTokenSelection({
    rows,
    list: `${as?.id} ${filterKey}`,
    find: toSelectableFind(filters, as !== null),
    total: isComplete ? rows.length : total,
  })
  const ownActions = useTokenActions()
  const list = useRows('tokens', rows, {
    // Offered while viewing as an application too: the vault decides whether the application's
    // permissions allow the action.
    isOwner: true,
    listQuery: { ...filters, sort: query.sort },
    listOwnActions: (on) => ownActions(on, () => navigate(list.href(on))),
    onDelete: (on) => !isGone(on) && many.askOne('remove', on),
    selected: many.isEmpty ? [] : many.actions,
  })
  const { close, href, listActions: actionsOn } = list
  const { handle: grid } = list.gridProps
  const mode = getPanelMode(id, query)

  const filterBy = (next: Filters) => navigate(toHref('tokens', id, { ...next, sort: query.sort }))
  const applyFilter = (name: FilterName, value: string | undefined) =>
    filterBy(withFilter(filters, name, value, as !== null))
  const openNewForm = () => navigate(href(null, { new: '1' }))
  const isSorted = !as && !isQuery(filters.q ?? '')
  // The same object while the order is the same, because another one renders the headers again.
  const sorting = useMemo(() => ({ sort, onSort: (by: string) => sortBy(by as TokenSort) }), [sort])
  const { selection } = many.selecting
  /** Actions on the selected tokens if the row is one of several, otherwise on the row. */
  function getRowActions(at: number) {
    const row = rows[at]
    if (!row) return []
    return !many.isEmpty && isSelected(selection, row.id) ? many.actions : actionsOn(row.id)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is shown from its beginning
  useEffect(() => grid.current?.scrollTo(0), [filterKey, sort])

  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  useKeys({ escape: many.clear }, mode === 'list' && !many.isEmpty)

  return (
    <>
      <div className={screenStyles.head}>
        <h1>{t.title}</h1>
        <div className="space" />
        <ActionButton variant="filled" icon="plus" label={t.create} onClick={openNewForm} />
      </div>
      <FilterBar filters={filters} sort={sort} onChange={filterBy} onLeave={list.search.onExit} />
      <div className={panelStyles.split}>
        <TokenList
          {...list.gridProps}
          mayRead={mayRead}
          onShowNew={() => goToNewTokens(filters, list)}
          onJump={list.leaveRow}
          selecting={many.selecting}
          {...(isSorted && { sorting })}
          listActions={getRowActions}
          onContainer={(scope) => applyFilter('container', scope)}
          onCreate={openNewForm}
          onRetry={() => grid.current?.focus()}
        />
        <PanelBoundary {...list.beside}>
          <Pinnable
            screen="tokens"
            id={id}
            form={list.form}
            renderPinned={(pinned, onClose) => (
              <PinnedToken key={pinned} id={pinned} onClose={onClose} onFilter={applyFilter} />
            )}
          >
            <TokenPanel
              id={id}
              mode={mode}
              onClose={close}
              onCancel={list.cancel}
              onLeave={list.leaveForm}
              actions={id === null ? [] : actionsOn(id)}
              onFilter={applyFilter}
            />
          </Pinnable>
        </PanelBoundary>
      </div>
      {mayRead && <EditBar />}
      {!many.isEmpty && <BulkBar selected={many.size} actions={many.actions} onClear={many.clear} />}
      {mayRead && (
        <TokenFoot>
          {isSorted && sort !== 'container' && (
            <GoToDate sort={sort} onGo={(until) => goToDate(until, grid)} />
          )}
        </TokenFoot>
      )}
      {many.asked && (
        <BulkDialog
          actionName={many.asked.asked}
          selection={many.asked.tokens}
          keys={listMetadataKeys(rows)}
          onStart={() => {
            if (many.asked?.asked === 'remove' && mode === 'drawer') close()
            many.onStarted()
            grid.current?.focus()
          }}
          onClose={many.close}
        />
      )}
    </>
  )
}

/** Goes to the first row that is as old as a time. */
async function goToDate(until: string, grid: RefObject<GridHandle | null>): Promise<void> {
  const wanted = await findRowAt(until)
  if (wanted === null) return
  useTokens.setState({ wanted })
  grid.current?.scrollTo(wanted, 'start')
  grid.current?.focus()
}

/** Goes to the newest token out of view: to its row, or to its drawer if its row is not loaded. */
async function goToNewTokens(filters: Filters, list: ReturnType<typeof useRows<Token>>): Promise<void> {
  const { newIds, isBehind, above, rows } = useTokens.getState()
  const grid = list.gridProps.handle.current
  if (isBehind || (above > 0 && !rows.some(({ id }) => id === newIds[0]))) {
    list.leaveRow()
    await showTokens(filters)
    grid?.scrollTo(0)
  }
  const [newest] = newIds
  if (newest === undefined) return
  if (useTokens.getState().rows.some(({ id }) => id === newest)) list.show(newest, false)
  else navigate(list.href(newest))
  grid?.focus()
  markTokensSeen([newest])
}

/** The filters and the order in the route, and whether the current view may read such a list. */
function useTokenFilters() {
  const { query } = useRoute()
  const as = useViewAs((state) => state.as)
  const filterKey = JSON.stringify(toFilters(query))
  const filters = useMemo(() => toFilters(JSON.parse(filterKey)), [filterKey])
  const sort = toSort(query, as)
  const isSearch = filters.q !== undefined && (as !== null || isQuery(filters.q))
  // A search needs `token:read` or `token:search`; a list needs `token:read`.
  const mayRead = useMay('token:read', ...(isSearch ? (['token:search'] as const) : []))
  return { filters, filterKey, sort, as, mayRead }
}

function getPanelMode(id: string | null, query: WindowRoute['query']): TokenPanelMode {
  if (query.new) return 'new'
  if (id === null) return 'list'
  return query.edit ? 'edit' : 'drawer'
}

/** The query of the complete list; null if only its loaded rows can be selected. */
function toSelectableFind(filters: Filters, isViewingAs: boolean): Find | null {
  return isViewingAs || isQuery(filters.q ?? '') ? null : toFind(filters)
}

/** The number of tokens: the number of rows if all are loaded, otherwise the vault's count, if known. */
function TokenFoot({ children }: { children: ReactNode }) {
  const { rows, above, next, total, isExact, loading, problem, sort, building } = useTokens()
  const isEmpty = rows.length === 0 && (loading || problem !== null || next !== null)
  return (
    <div className={screenStyles.foot}>
      <span role="status">{!isEmpty && formatCount()}</span>
      {building && <span>{t.building(Math.floor((100 * building.done) / building.total))}</span>}
      <span>{t.inOrder(t.order[sort])}</span>
      <span className="space" />
      {children}
    </div>
  )

  function formatCount(): string {
    if (next === null) return t.count(above + rows.length)
    if (total === null || total < rows.length) return t.atLeast(rows.length.toLocaleString('en'))
    return isExact ? t.count(total) : t.moreThan(total.toLocaleString('en'))
  }
}

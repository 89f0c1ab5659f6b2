import type { Find, TokenSort } from '../../../shared/find.ts'
import { onChanges } from '../../parts/connection/session.ts'
import './tokens.css'
import { Button } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { BulkBar } from '../../parts/bulk/bulk-bar.tsx'
import { BulkDialog } from '../../parts/bulk/bulk-dialog.tsx'
import { keepLoaded, onReturn } from '../../parts/connection/connection-state.ts'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import { isSelected } from '../../ui/grid/selection.ts'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { closeToken, isOfDrawer, openToken, readToken, reloadToken } from './drawer/drawer-store.ts'
import { FilterBar } from './list/filter-bar.tsx'
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
import { TokenFoot } from './list/token-foot.tsx'
import { TokenList } from './list/token-list.tsx'
import {
  applyTokenChanges,
  clearTokens,
  loadMoreTokens,
  markTokensSeen,
  showTokens,
  sortBy,
  useTokens,
} from './list/tokens-store.ts'
import { strings } from './strings.ts'
import { useTokenActions } from './token-actions.ts'
import { TokenPanel } from './token-panel.tsx'
import { useExpiries } from './use-expiries.ts'
import { useTokenSelection } from './use-token-selection.ts'

const t = strings

/** The list of tokens, with a panel for one of them. */
export function Tokens() {
  const { id, query } = useRoute()
  const rows = useTokens((state) => state.rows)
  const search = useRef<HTMLInputElement>(null)
  const filterKey = JSON.stringify(toFilters(query))
  const filters = useMemo(() => toFilters(JSON.parse(filterKey)), [filterKey])
  const as = useViewAs((state) => state.as)
  const sort = toSort(query, as)
  const isSearch = filters.q !== undefined && (as !== null || isQuery(filters.q))
  // A search needs `token:read` or `token:search`; a list needs `token:read`.
  const mayRead = useMay('token:read', ...(isSearch ? (['token:search'] as const) : []))
  useEffect(() => {
    if (mayRead) return keepLoaded(() => showTokens(filters, sort))
    clearTokens()
    return undefined
  }, [filters, sort, mayRead])
  useEffect(followCounts, [])
  useEffect(() => (mayRead ? onChanges(applyTokenChanges) : undefined), [mayRead])
  useExpiries()
  useEffect(() => {
    if (id === null) return closeToken()
    openToken(id)
    markTokensSeen([id])
  }, [id])
  useEffect(() => closeToken, [])
  useEffect(() => onReturn(() => id !== null && !query.edit && readToken(id)), [id, query.edit])
  useEffect(() => {
    let hasMissedChange = false
    const stop = onChanges((changes) => {
      if (!isOfDrawer(changes)) return
      // A form shows the token as it was when the form was opened, so reload only after it is closed.
      if (query.edit) hasMissedChange = true
      else reloadToken()
    })
    return () => {
      stop()
      if (hasMissedChange) reloadToken()
    }
  }, [query.edit])

  const { next, total, isExact } = useTokens()
  const many = useTokenSelection({
    rows,
    list: `${as?.id} ${filterKey}`,
    find: toSelectableFind(filters, as !== null),
    total: next === null ? rows.length : isExact ? total : null,
  })
  const ownActions = useTokenActions()
  const list = useRows('tokens', rows, {
    // Offered while viewing as an application too: the vault decides whether the application's
    // permissions allow the action.
    isOwner: true,
    listQuery: { ...filters, sort: query.sort },
    listOwnActions: (on) => ownActions(on, () => navigate(list.href(on))),
    onDelete: (on) => many.askOne('remove', on),
    selected: many.isEmpty ? [] : many.actions,
  })
  const { show, close, href, listActions: actionsOn } = list
  const { handle: grid } = list.gridProps
  const mode = query.new ? 'new' : id === null ? 'list' : query.edit ? 'edit' : 'drawer'

  /** Goes to the newest token out of view: to its row, or to its drawer if its row is not loaded. */
  async function goToNewTokens() {
    const { newIds, isBehind } = useTokens.getState()
    if (isBehind) await showTokens(filters)
    const [newest] = newIds
    if (newest === undefined) {
      list.leaveRow()
      grid.current?.scrollTo(0)
      return
    }
    const at = rows.findIndex((row) => row.id === newest)
    if (at >= 0) show(at, false)
    else navigate(href(newest))
    grid.current?.focus()
    markTokensSeen([newest])
  }
  const filterBy = (next: Filters) => navigate(toHref('tokens', id, { ...next, sort: query.sort }))
  const applyFilter = (name: FilterName, value: string | undefined) =>
    filterBy(withFilter(filters, name, value, as !== null))
  const openNewForm = () => navigate(href(null, { new: '1' }))
  const { selection } = many.selecting
  /** Actions on the selected tokens if the row is one of several, otherwise on the row. */
  function getRowActions(at: number) {
    const row = rows[at]
    if (!row) return []
    return !many.isEmpty && isSelected(selection, row.id) ? many.actions : actionsOn(row.id)
  }

  const focusSearch = () => search.current?.select()
  useKeys({ 'mod+n': openNewForm, n: openNewForm, 'mod+f': focusSearch, '/': focusSearch })
  useKeys({ escape: many.clear }, mode === 'list' && !many.isEmpty)

  return (
    <>
      <div className="screen-head">
        <h1>{t.title}</h1>
        <div className="screen-head-space" />
        <Button leftSection={<Icon name="plus" size={14} />} onClick={openNewForm}>
          {t.create}
        </Button>
      </div>
      <FilterBar
        filters={filters}
        sort={sort}
        onChange={filterBy}
        search={search}
        onLeave={list.search.onExit}
      />
      <div className="split">
        <TokenList
          {...list.gridProps}
          mayRead={mayRead}
          onShowNew={goToNewTokens}
          selecting={many.selecting}
          {...(!as &&
            !isQuery(filters.q ?? '') && { sorting: { sort, onSort: (by) => sortBy(by as TokenSort) } })}
          listActions={getRowActions}
          onContainer={(scope) => applyFilter('container', scope)}
          onCreate={openNewForm}
          onRetry={() => {
            grid.current?.focus()
            loadMoreTokens()
          }}
        />
        <PanelBoundary {...list.beside}>
          <TokenPanel
            id={id}
            mode={mode}
            onClose={close}
            onCancel={list.cancel}
            onLeave={list.leaveForm}
            actions={id === null ? [] : actionsOn(id)}
            onFilter={applyFilter}
          />
        </PanelBoundary>
      </div>
      {!many.isEmpty && <BulkBar selected={many.size} actions={many.actions} onClear={many.clear} />}
      {mayRead && <TokenFoot />}
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

/** The query of the complete list; null if only its loaded rows can be selected. */
function toSelectableFind(filters: Filters, isViewingAs: boolean): Find | null {
  return isViewingAs || isQuery(filters.q ?? '') ? null : toFind(filters)
}

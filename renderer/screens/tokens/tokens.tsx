import { onChanges } from '../../parts/connection/session.ts'
import './tokens.css'
import { Button } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { keepLoaded, onReturn } from '../../parts/connection/reach.ts'
import { go, leaveFor, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { followCounts } from '../../parts/tokens/counts-store.ts'
import type { GridHandle } from '../../ui/grid/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DeleteToken } from './delete-token.tsx'
import { closeToken, concernsDrawer, openToken, readToken, rereadToken } from './drawer/drawer-store.ts'
import { FilterBar } from './list/filter-bar.tsx'
import {
  type FilterName,
  type Filters,
  filtersOf,
  isQuery,
  sortOf,
  withFilter,
} from './list/token-filters.ts'
import { TokenFoot } from './list/token-foot.tsx'
import { TokenList } from './list/token-list.tsx'
import {
  followTokens,
  moreTokens,
  sawTokens,
  showNothing,
  showTokens,
  useTokens,
} from './list/tokens-store.ts'
import { strings } from './strings.ts'
import { TokenPanel } from './token-panel.tsx'
import { useExpiries } from './use-expiries.ts'
import { useTokenKeys } from './use-token-keys.ts'

const t = strings

/** The list of tokens, and one of them beside it. */
export function Tokens() {
  const { id, query } = useRoute()
  const rows = useTokens((state) => state.rows)
  const [active, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState<string | null>(null)
  const grid = useRef<GridHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const filterKey = JSON.stringify(filtersOf(query))
  const filters = useMemo(() => filtersOf(JSON.parse(filterKey)), [filterKey])
  const sort = sortOf(query)
  const as = useLooking((looking) => looking.as)
  const isSearch = filters.q !== undefined && (as !== null || isQuery(filters.q))
  // A search accepts either permission, a list only `token:read`.
  const mayRead = useMay('token:read', ...(isSearch ? (['token:search'] as const) : []))
  useEffect(() => {
    if (mayRead) return keepLoaded(() => showTokens(filters, sort))
    showNothing()
    return undefined
  }, [filters, sort, mayRead])
  useEffect(followCounts, [])
  useEffect(() => (mayRead ? onChanges(followTokens) : undefined), [mayRead])
  useExpiries()
  useEffect(() => {
    if (id === null) return closeToken()
    openToken(id)
    sawTokens([id])
  }, [id])
  useEffect(() => closeToken, [])
  useEffect(() => onReturn(() => id !== null && !query.edit && readToken(id)), [id, query.edit])
  useEffect(() => {
    let missed = false
    const stop = onChanges((changes) => {
      if (!concernsDrawer(changes)) return
      // A form in progress keeps the token it started with.
      if (query.edit) missed = true
      else rereadToken()
    })
    return () => {
      stop()
      if (missed) rereadToken()
    }
  }, [query.edit])

  const current = id ?? active
  const mode = query.new ? 'new' : id === null ? 'list' : query.edit ? 'edit' : 'drawer'
  const href = (to: string | null, mode: Record<string, string> = {}) =>
    hrefOf('tokens', to, { ...filters, sort: query.sort, ...mode })

  function show(at: number, open: boolean) {
    const row = rows[at]
    if (!row) return
    setActive(row.id)
    if (open) go(href(row.id))
    else if (id !== null) go(href(row.id), { replace: true })
  }
  /** Goes to the newest token out of view: to its row, or to its drawer if its row is not loaded yet. */
  async function goToNews() {
    const { news, isBehind } = useTokens.getState()
    if (isBehind) await showTokens(filters)
    const [newest] = news
    if (newest === undefined) {
      setActive(null)
      grid.current?.scrollTo(0)
      return
    }
    const at = rows.findIndex((row) => row.id === newest)
    if (at >= 0) show(at, false)
    else go(href(newest))
    grid.current?.focus()
    sawTokens([newest])
  }
  function close() {
    setActive(id)
    go(href(null))
    grid.current?.focus()
  }
  /** Leaves a form for the drawer of a token or for the list, and returns the focus to the rows. */
  async function leaveForm(to: string | null) {
    await leaveFor(href(to))
    grid.current?.focus()
  }
  const cancel = () => leaving(() => leaveForm(id))
  const filterBy = (next: Filters) => go(hrefOf('tokens', id, { ...next, sort: query.sort }))
  const filter = (name: FilterName, value: string | undefined) =>
    filterBy(withFilter(filters, name, value, as !== null))
  const create = () => go(href(null, { new: '1' }))
  const edit = () => current !== null && go(href(current, { edit: '1' }))

  useTokenKeys({
    current,
    mode,
    onOpen: (to) => go(href(to)),
    onClose: close,
    onDone: cancel,
    onCreate: create,
    onFind: () => search.current?.select(),
    onEdit: edit,
    onDelete: () => setDeleting(current),
  })

  return (
    <>
      <div className="screen-head">
        <h1>{t.title}</h1>
        <div className="screen-head-space" />
        <Button leftSection={<Icon name="plus" size={14} />} onClick={create}>
          {t.create}
        </Button>
      </div>
      <FilterBar filters={filters} sort={sort} onChange={filterBy} search={search} />
      <div className="split">
        <TokenList
          handle={grid}
          mayRead={mayRead}
          active={rows.findIndex((row) => row.id === current)}
          onActive={(at) => show(at, false)}
          onOpen={(at) => show(at, true)}
          onNews={goToNews}
          onContainer={(scope) => filter('container', scope)}
          onCreate={create}
          onRetry={() => {
            grid.current?.focus()
            moreTokens()
          }}
        />
        <TokenPanel
          id={id}
          mode={mode}
          onClose={close}
          onCancel={cancel}
          onLeave={leaveForm}
          onEdit={edit}
          onDelete={setDeleting}
          onFilter={filter}
        />
      </div>
      {mayRead && <TokenFoot />}
      {deleting !== null && (
        <DeleteToken
          id={deleting}
          onDeleted={() => id === deleting && close()}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  )
}

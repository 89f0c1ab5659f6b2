import { useEffect, useRef, useState } from 'react'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import type { GridHandle } from '../../ui/grid/use-grid-view.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { showToast } from '../messages/toast.tsx'
import { findNextRow } from './find-next-row.ts'
import { getLastSearch, rememberQuery, rememberSearch } from './last-queries.ts'
import type { SearchState } from './list-search.tsx'
import { navigate, navigateAway, useRoute } from './route.ts'
import { toHref } from './route-text.ts'
import type { Screen } from './screens.ts'
import { strings } from './strings.ts'
import { confirmLeave } from './unsaved.ts'

const t = strings.row

export type UseRowsOptions<Row> = {
  /** Whether the viewer is the owner, who alone may create, edit and delete. */
  readonly isOwner: boolean
  /** Whether rows cannot be edited. */
  readonly isFixed?: boolean
  /** Whether rows cannot be deleted. */
  readonly isPermanent?: boolean
  /** Returns the text of each field that the search covers. Without this function, the list has no search. */
  readonly getTexts?: (row: Row) => readonly string[]
  /** The query parameters of every URL in this list, such as its filters. */
  readonly listQuery?: Readonly<Record<string, string | undefined>>
  /** Returns further actions for a row. `row` is undefined if the row is not loaded yet. */
  readonly listOwnActions?: (id: string, row: Row | undefined) => readonly GridAction[]
  /** Asks before a row is deleted. By default, the list sets `deleting` to the row's id. */
  readonly onDelete?: (id: string) => void
  /** Actions for selected rows. Their shortcuts take precedence over those of the current row. */
  readonly selected?: readonly GridAction[]
}

/**
 * The state of a list with a drawer or form: search, current row, open row, the actions of each row, and
 * keyboard navigation. After a deletion, the next row becomes current.
 */
export function useRows<Row extends { readonly id: string }>(
  screen: Screen,
  all: readonly Row[],
  options: UseRowsOptions<Row>,
) {
  const {
    isOwner,
    isFixed = false,
    isPermanent = false,
    getTexts,
    listQuery = {},
    listOwnActions: ownActions,
    onDelete,
    selected = [],
  } = options
  const { id, query } = useRoute()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState<string | null>(null)
  // A link to an item opens the list without its last search.
  const [search, setSearch] = useState(() => (id === null ? getLastSearch(screen) : ''))
  const grid = useRef<GridHandle>(null)

  useEffect(() => rememberQuery(screen, listQuery))
  useEffect(() => rememberSearch(screen, search), [screen, search])

  const rows = getTexts ? filterRows(all, search, getTexts) : all
  const current = id ?? activeId
  const active = rows.findIndex((each) => each.id === current)
  const open = all.find((each) => each.id === id)
  /** The latest rows that included the current row. */
  const before = useRef<readonly Row[]>([])
  useEffect(() => {
    if (active >= 0) before.current = rows
    else if (id === null && activeId !== null) {
      // Unless the list has already left the row.
      const next = findNextRow(activeId, before.current, rows)
      setActive((now) => (now === activeId ? next : now))
    }
  }, [active, id, activeId, rows])
  const form = isOwner && (query.new !== undefined || (!isFixed && query.edit !== undefined))
  const toRowHref = (to: string | null, mode: Readonly<Record<string, string>> = {}) =>
    toHref(screen, to, { ...listQuery, ...mode })
  const remove = onDelete ?? setDeleting
  // The palette asks for a deletion, once and where it is possible.
  const asksDeletion = query.remove !== undefined && id !== null
  useEffect(() => {
    if (!asksDeletion) return
    navigate(toRowHref(id), { replace: true })
    if (isOwner && !isPermanent) remove(id)
  })

  /** Makes a row current, also one that has only just been loaded. */
  function showRow(to: string | undefined, opens: boolean) {
    if (to === undefined) return
    setActive(to)
    if (opens) navigate(toRowHref(to))
    else if (id !== null) navigate(toRowHref(to), { replace: true })
  }
  const confirmClose = (close: () => void) => confirmLeave(close, undefined, screen)
  const closeRow = () =>
    confirmClose(() => {
      setActive(current)
      navigate(toRowHref(null))
      grid.current?.focus()
    })
  /** Leaves a form for a row's drawer or for the list, and returns the focus to the rows. */
  async function leaveForm(to: string | null) {
    await navigateAway(toRowHref(to))
    grid.current?.focus()
  }
  const cancelForm = () => confirmClose(() => leaveForm(id))

  function listRowActions(on: string): readonly GridAction[] {
    const row = all.find((each) => each.id === on)
    const runEdit = () => navigate(toRowHref(on, { edit: '1' }))
    const edit = { label: t.edit, icon: 'pencil', keys: 'e', run: runEdit } as const
    const deletion = { label: t.remove, icon: 'trash', keys: 'Backspace', danger: true } as const
    return [
      { label: t.open, icon: 'right', keys: 'enter', run: () => id !== on && navigate(toRowHref(on)) },
      ...(ownActions?.(on, row) ?? []),
      {
        label: t.copyId,
        icon: 'copy',
        keys: 'c',
        async run() {
          await copyText(on)
          showToast(t.copied)
        },
      },
      ...(isOwner && !isFixed ? [edit] : []),
      ...(isOwner && !isPermanent ? [{ ...deletion, run: () => remove(on) }] : []),
    ]
  }

  useKeys({ escape: form ? cancelForm : closeRow }, id !== null || form)
  // By keyboard, delete only a row that is clearly meant: the open row, or the current row if the list has
  // the focus.
  const isMeant = () => id !== null || document.activeElement?.getAttribute('role') === 'grid'
  const shortcuts = current === null ? {} : toShortcuts(listRowActions(current), isMeant)
  useKeys({ ...shortcuts, ...toShortcuts(selected, () => true) }, !form)

  const searching: SearchState = {
    value: search,
    onChange: setSearch,
    onExit() {
      grid.current?.focus()
      if (active < 0) showRow(rows[0]?.id, false)
    },
  }
  return {
    id,
    /** The open row, or the row with the keyboard focus. */
    current,
    /** Whether the form creates a new row. `query.new` says which kind. */
    isNew: query.new !== undefined,
    rows,
    /** The open row, whether or not it matches the search. */
    open,
    form,
    href: toRowHref,
    show: showRow,
    close: closeRow,
    cancel: cancelForm,
    leaveForm,
    listActions: listRowActions,
    beside: { at: `${id} ${query.new} ${query.edit}`, onClose: form ? cancelForm : closeRow },
    deleting,
    setDeleting,
    leaveRow: () => setActive(null),
    search: searching,
    isSearch: getTexts !== undefined && search.trim() !== '',
    gridProps: {
      handle: grid,
      active,
      // Placeholders of loading rows cannot become current.
      onActive: (index: number) => showRow(rows[Math.min(index, rows.length - 1)]?.id, false),
      onOpen: (index: number) => showRow(rows[index]?.id, true),
      listActions: (index: number) => (rows[index] ? listRowActions(rows[index].id) : []),
    },
  }
}

/** The shortcuts of actions. Those that delete check `isMeant` first. Enter belongs to the list itself. */
function toShortcuts(actions: readonly GridAction[], isMeant: () => boolean): Record<string, () => void> {
  const shortcuts: Record<string, () => void> = {}
  for (const { keys, disabledReason, danger, run } of actions) {
    if (keys === undefined || keys === 'enter' || disabledReason !== undefined) continue
    const act = danger ? () => isMeant() && run() : run
    shortcuts[keys.toLowerCase()] = act
    if (keys === 'Backspace') shortcuts.delete = act
  }
  return shortcuts
}

function filterRows<Row>(
  rows: readonly Row[],
  search: string,
  getTexts: (row: Row) => readonly string[],
): readonly Row[] {
  const term = search.trim().toLowerCase()
  if (term === '') return rows
  return rows.filter((row) => getTexts(row).some((text) => text.toLowerCase().includes(term)))
}

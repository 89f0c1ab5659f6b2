import { useEffect, useRef, useState } from 'react'
import type { GridHandle } from '../../ui/grid/grid.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { toast } from '../messages/toast.tsx'
import type { Search } from './list-search.tsx'
import { go, leaveFor, useRoute } from './route.ts'
import { hrefOf, type Screen } from './route-text.ts'
import { leaving } from './unsaved.ts'

type Options<Row> = {
  /** Only the owner creates, changes and deletes. */
  readonly isOwner: boolean
  /** Rows that are never changed have no form to edit them. */
  readonly isFixed?: boolean
  /** Said when the id of a row was copied. */
  readonly copied: string
  /** The texts of a row that a search looks through; without it, the list has none. */
  readonly textsOf?: (row: Row) => readonly string[]
}

/**
 * A list with a drawer or a form beside it: which rows a search finds, which one is current, which is open by the
 * address, and the keys that move between them (Escape, E, C, Delete). The row after a deleted one becomes current.
 */
export function useRows<Row extends { readonly id: string }>(
  screen: Screen,
  all: readonly Row[],
  { isOwner, isFixed = false, copied, textsOf }: Options<Row>,
) {
  const { id, query } = useRoute()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const [search, setSearch] = useState('')
  const grid = useRef<GridHandle>(null)

  const rows = textsOf ? found(all, search, textsOf) : all
  const current = id ?? activeId
  const active = rows.findIndex((each) => each.id === current)
  const open = all.find((each) => each.id === id)
  const place = useRef(-1)
  useEffect(() => {
    if (active >= 0) place.current = active
    else if (id === null && activeId !== null) {
      setActive(rows[Math.min(place.current, rows.length - 1)]?.id ?? null)
    }
  }, [active, id, activeId, rows])
  const form = isOwner && (query.new !== undefined || (!isFixed && query.edit !== undefined))
  const edit = () => isOwner && !isFixed && current !== null && go(hrefOf(screen, current, { edit: '1' }))
  const remove = () => setDeleting(isOwner && open !== undefined)

  function show(index: number, opens: boolean) {
    const row = rows[index]
    if (!row) return
    setActive(row.id)
    if (opens) go(hrefOf(screen, row.id))
    else if (id !== null) go(hrefOf(screen, row.id), { replace: true })
  }
  const close = () =>
    leaving(() => {
      setActive(id)
      go(hrefOf(screen))
      grid.current?.focus()
    })
  /** Leaves a form for the drawer of a row or for the list, and returns the focus to the rows. */
  async function leaveForm(to: string | null) {
    await leaveFor(hrefOf(screen, to))
    grid.current?.focus()
  }
  const cancel = () => leaving(() => leaveForm(id))

  useKeys({ escape: form ? cancel : close }, id !== null || form)
  useKeys(
    {
      e: edit,
      c: async () => {
        if (current === null) return
        await copyText(current)
        toast(copied)
      },
      backspace: remove,
      delete: remove,
    },
    !form,
  )

  const searching: Search = {
    value: search,
    onChange: setSearch,
    onLeave() {
      grid.current?.focus()
      if (active < 0) show(0, false)
    },
  }
  return {
    id,
    /** Whether the form is one for a new row; `query.new` says what it begins with. */
    isNew: query.new !== undefined,
    /** The rows that the search finds. */
    rows,
    /** The row that is open, whether the search finds it or not. */
    open,
    form,
    edit,
    close,
    cancel,
    leaveForm,
    deleting,
    setDeleting,
    search: searching,
    isSearch: search.trim() !== '',
    /** What the grid takes. */
    shown: {
      handle: grid,
      active,
      onActive: (index: number) => show(index, false),
      onOpen: (index: number) => show(index, true),
    },
  }
}

/** The rows with a text that contains what was typed. */
function found<Row>(
  rows: readonly Row[],
  search: string,
  textsOf: (row: Row) => readonly string[],
): readonly Row[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) => textsOf(row).some((text) => text.toLowerCase().includes(wanted)))
}

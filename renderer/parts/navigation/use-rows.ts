import { useRef, useState } from 'react'
import type { GridHandle } from '../../ui/grid/grid.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { toast } from '../messages/toast.tsx'
import { go, leaveFor, useRoute } from './route.ts'
import { hrefOf, type Screen } from './route-text.ts'
import { leaving } from './unsaved.ts'

type Options = {
  /** Only the owner creates, changes and deletes. */
  readonly isOwner: boolean
  /** Rows that are never changed have no form to edit them. */
  readonly isFixed?: boolean
  /** Said when the id of a row was copied. */
  readonly copied: string
}

/**
 * A list with a drawer or a form beside it: which row is current, which is open by the address, and the keys that move
 * between them (Escape, E, C, Delete).
 */
export function useRows<Row extends { readonly id: string }>(
  screen: Screen,
  rows: readonly Row[],
  { isOwner, isFixed = false, copied }: Options,
) {
  const { id, query } = useRoute()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const grid = useRef<GridHandle>(null)

  const current = id ?? activeId
  const open = rows.find((each) => each.id === id)
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
  function close() {
    setActive(id)
    go(hrefOf(screen))
    grid.current?.focus()
  }
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

  return {
    id,
    isNew: query.new !== undefined,
    /** The row that is open. */
    open,
    form,
    edit,
    close,
    cancel,
    leaveForm,
    deleting,
    setDeleting,
    /** What the grid takes. */
    shown: {
      handle: grid,
      active: rows.findIndex((each) => each.id === current),
      onActive: (index: number) => show(index, false),
      onOpen: (index: number) => show(index, true),
    },
  }
}

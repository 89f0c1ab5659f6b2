import { useEffect, useState } from 'react'
import type { Find } from '../../../shared/find.ts'
import type { Selection as Wanted } from '../../../shared/schemas/bulk.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { type Asked, useBulkActions } from '../../parts/bulk/bulk-actions.ts'
import { copyIdsOf } from '../../parts/bulk/copy-ids.ts'
import { onChanges } from '../../parts/connection/session.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { isNothing, nothingSelected, type Selection, sizeOf, without } from '../../ui/grid/selection.ts'
import { strings } from './strings.ts'

type Options = {
  readonly rows: readonly Token[]
  /** Changes with the list; a selection belongs to one list. */
  readonly list: string
  /** What the whole list looks for; null where only loaded rows can be selected. */
  readonly find: Find | null
  /** How many tokens the list has; null if that is not known. */
  readonly total: number | null
}

/** The selected tokens of the list, and what is asked about them. */
export function useMany({ rows, list, find, total }: Options) {
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  const [asked, setAsked] = useState<{ asked: Asked; tokens: Wanted; isOne?: true } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has another selection
  useEffect(() => setSelection(nothingSelected), [list])
  useEffect(
    () =>
      onChanges((changes) => {
        const gone = changes.flatMap(({ entity, kind, ids }) =>
          entity === 'token' && kind === 'deleted' && ids !== 'unnamed' ? ids : [],
        )
        if (gone.length > 0) setSelection((before) => without(before, gone))
      }),
    [],
  )

  function onSelect(next: Selection): void {
    if (next.of === 'some' || find) {
      setSelection(next)
      return
    }
    setSelection({ of: 'some', keys: new Set(rows.map(({ id }) => id)) })
    toast(strings.onlyLoaded(rows.length))
  }
  const wanted = (): Wanted =>
    selection.of === 'all' && find
      ? { all: find, except: [...selection.except] }
      : { ids: selection.of === 'some' ? [...selection.keys] : [] }
  const actions = useBulkActions(
    (asked) => setAsked({ asked, tokens: wanted() }),
    () => copyIdsOf(wanted()),
  )
  const close = () => setAsked(null)
  const clear = () => setSelection(nothingSelected)

  return {
    selecting: { selection, onSelect },
    isEmpty: isNothing(selection),
    /** How many are selected; null if that is not known. */
    size: sizeOf(selection, total),
    actions,
    clear,
    asked,
    /** Asks about one token, whatever is selected. */
    askOne: (asked: Asked, id: string) => setAsked({ asked, tokens: { ids: [id] }, isOne: true }),
    close,
    /** To be called when what was asked about has begun: the selection is done with if it was about that. */
    begun() {
      if (!asked?.isOne) clear()
      close()
    },
  }
}

import { useEffect, useState } from 'react'
import type { Find } from '../../../shared/find.ts'
import type { TokenSelection as Wanted } from '../../../shared/schemas/bulk.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { type BulkActionName, useBulkActions } from '../../parts/bulk/bulk-actions.ts'
import { copySelectedIds } from '../../parts/bulk/copy-ids.ts'
import { onChanges } from '../../parts/connection/session.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import {
  countSelected,
  excludeRows,
  type GridSelection,
  isEmptySelection,
  nothingSelected,
} from '../../ui/grid/selection.ts'
import { strings } from './strings.ts'

type UseTokenSelectionOptions = {
  readonly rows: readonly Token[]
  /** Identifies the list; a selection belongs to one list. */
  readonly list: string
  /** The query of the complete list; null if only loaded rows can be selected. */
  readonly find: Find | null
  /** The number of tokens in the list; null if unknown. */
  readonly total: number | null
}

/** The selected tokens of the list, and the pending question about them. */
export function useTokenSelection({ rows, list, find, total }: UseTokenSelectionOptions) {
  const [selection, setSelection] = useState<GridSelection>(nothingSelected)
  const [question, setQuestion] = useState<{ asked: BulkActionName; tokens: Wanted; isOne?: true } | null>(
    null,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has another selection
  useEffect(() => setSelection(nothingSelected), [list])
  useEffect(
    () =>
      onChanges((changes) => {
        const deletedIds = changes.flatMap(({ entity, kind, ids }) =>
          entity === 'token' && kind === 'deleted' && ids !== 'unnamed' ? ids : [],
        )
        if (deletedIds.length > 0) setSelection((before) => excludeRows(before, deletedIds))
      }),
    [],
  )

  function onSelect(next: GridSelection): void {
    if (next.of === 'some' || find) {
      setSelection(next)
      return
    }
    setSelection({ of: 'some', keys: new Set(rows.map(({ id }) => id)) })
    showToast(strings.onlyLoaded(rows.length))
  }
  const getSelectedTokens = (): Wanted =>
    selection.of === 'all' && find
      ? { all: find, except: [...selection.except] }
      : { ids: selection.of === 'some' ? [...selection.keys] : [] }
  const actions = useBulkActions(
    (action) => setQuestion({ asked: action, tokens: getSelectedTokens() }),
    () => copySelectedIds(getSelectedTokens()),
  )
  const closeQuestion = () => setQuestion(null)
  const clearSelection = () => setSelection(nothingSelected)

  return {
    selecting: { selection, onSelect },
    isEmpty: isEmptySelection(selection),
    /** The number of selected tokens; null if unknown. */
    size: countSelected(selection, total),
    actions,
    clear: clearSelection,
    asked: question,
    /** Asks about one token, regardless of the selection. */
    askOne: (action: BulkActionName, id: string) =>
      setQuestion({ asked: action, tokens: { ids: [id] }, isOne: true }),
    close: closeQuestion,
    /** Call this when an action has started. Clears the selection, unless the action is about one token. */
    onStarted() {
      if (!question?.isOne) clearSelection()
      closeQuestion()
    },
  }
}

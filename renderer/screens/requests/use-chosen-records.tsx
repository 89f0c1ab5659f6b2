import { useState } from 'react'
import { useOperations } from '../../parts/api/operations.ts'
import { BulkBar } from '../../parts/bulk/bulk-bar.tsx'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { type GridSelection, isEmptySelection, isSelected, nothingSelected } from '../../ui/grid/selection.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { CompareDialog } from './compare-dialog.tsx'
import { formatRecordsAsCurl } from './copy-as-curl.ts'
import type { LogListRecord } from './record.ts'
import { ResendDialog } from './resend-dialog.tsx'
import { strings as t } from './strings.ts'

/** Each of them is read in full. */
const MAX_RECORDS = 100

type ChosenDialog = 'compare' | 'resend'

/** The selected records: two can be compared, and several sent again or copied. */
export function useChosenRecords(rows: readonly LogListRecord[], areAllLoaded: boolean) {
  const [selection, setSelection] = useState<GridSelection>(nothingSelected)
  const [dialog, setDialog] = useState<{ readonly of: ChosenDialog; readonly ids: readonly string[] } | null>(
    null,
  )
  const { operations } = useOperations()
  const base = useBaseUrl()
  const ids =
    selection.of === 'some'
      ? [...selection.keys].filter(isRecordId)
      : areAllLoaded
        ? rows.map(({ id }) => id).filter((id) => isSelected(selection, id))
        : []
  const copyAll = async () => {
    const { text, copied } = await formatRecordsAsCurl(ids, operations, base)
    await copyText(text)
    showToast(t.chosen.copied(copied, ids.length))
  }
  const tooMany = ids.length > MAX_RECORDS || ids.length === 0 ? t.chosen.tooMany(MAX_RECORDS) : undefined
  const openDialog = (of: ChosenDialog) => () => setDialog({ of, ids })
  const closeDialog = () => setDialog(null)
  const clearSelection = () => setSelection(nothingSelected)
  const isEmpty = isEmptySelection(selection)
  const actions: readonly GridAction[] = [
    {
      label: t.compare.action,
      icon: 'switch',
      ...(ids.length !== 2 && { disabledReason: t.compare.two }),
      run: openDialog('compare'),
    },
    { label: t.drawer.again, icon: 'play', disabledReason: tooMany, run: openDialog('resend') },
    {
      label: t.cells.asCurl,
      icon: 'terminal',
      disabledReason: tooMany,
      run: () => void copyAll().catch(showFailureToast),
    },
  ]
  return {
    actions,
    clearSelection,
    isEmpty,
    selecting: { selection, onSelect: setSelection },
    bar: isEmpty ? null : (
      <BulkBar selected={ids.length || null} actions={actions} onClear={clearSelection} />
    ),
    dialog:
      dialog &&
      (dialog.of === 'compare' ? (
        <CompareDialog ids={dialog.ids} onClose={closeDialog} />
      ) : (
        <ResendDialog ids={dialog.ids} onClose={closeDialog} />
      )),
  }
}

const isRecordId = (id: string) => /^\d+$/.test(id)

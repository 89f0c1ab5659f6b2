import { useState } from 'react'
import { BulkBar } from '../../parts/bulk/bulk-bar.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { type GridSelection, nothingSelected } from '../../ui/grid/selection.ts'
import { CompareDialog } from './compare-dialog.tsx'
import { strings } from './strings.ts'

const t = strings

/** The selected records, of which two can be compared. */
export function useComparison() {
  const [selection, setSelection] = useState<GridSelection>(nothingSelected)
  const [compared, setCompared] = useState<readonly [string, string] | null>(null)
  const action = createCompareAction(selection, setCompared)
  const clearSelection = () => setSelection(nothingSelected)
  const size = selection.of === 'some' ? selection.keys.size : null
  return {
    action,
    clearSelection,
    isEmpty: size === 0,
    selecting: { selection, onSelect: setSelection },
    bar: size === 0 ? null : <BulkBar selected={size} actions={[action]} onClear={clearSelection} />,
    dialog: compared && <CompareDialog ids={compared} onClose={() => setCompared(null)} />,
  }
}

function createCompareAction(
  selection: GridSelection,
  onCompare: (ids: readonly [string, string]) => void,
): GridAction {
  const [one, other, ...more] = selection.of === 'some' ? [...selection.keys].filter(isRecordId) : []
  const isPair = one !== undefined && other !== undefined && more.length === 0
  return {
    label: t.compare.action,
    icon: 'switch',
    ...(!isPair && { disabledReason: t.compare.two }),
    run: () => isPair && onCompare([one, other]),
  }
}

const isRecordId = (id: string) => /^\d+$/.test(id)

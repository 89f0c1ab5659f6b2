import { useMemo, useState } from 'react'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { readCallLines } from './call-lines.ts'
import { type LedgerLine, toLedgerLines } from './ledger-lines.ts'

import type { LogListRecord } from './record.ts'
/** The lines of the list, and the function that unfolds a call. */
export function useLedgerLines(rows: readonly LogListRecord[], isOwner: boolean) {
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, readonly LedgerLine[]>>(new Map())
  async function setOpen(line: LedgerLine, isOpen: boolean) {
    const others = [...unfolded].filter(([id]) => id !== line.id)
    setUnfolded(new Map(isOpen ? [...others, [line.id, []]] : others))
    if (!isOpen) return
    const extras = await readCallLines(line).catch(handleBackgroundError)
    if (extras) setUnfolded((now) => (now.has(line.id) ? new Map([...now, [line.id, extras]]) : now))
  }
  const lines = useMemo<readonly LedgerLine[]>(
    () => (isOwner ? toLedgerLines(rows, unfolded) : rows),
    [rows, unfolded, isOwner],
  )
  return { lines, setOpen }
}

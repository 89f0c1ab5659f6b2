import { type KeyboardEvent, useState } from 'react'
import type { GrantsDraft } from './grants.ts'

type DraftStep = { readonly draft: GrantsDraft; readonly typed: string | undefined }

/** The earlier states of a draft, so that its changes can be undone one by one before they are saved. */
export function useDraftHistory(draft: GrantsDraft, onChange: (draft: GrantsDraft) => void) {
  const [steps, setSteps] = useState<readonly DraftStep[]>([])
  const last = steps.at(-1)
  function undoChange(): void {
    if (!last) return
    setSteps(steps.slice(0, -1))
    onChange(last.draft)
  }
  return {
    /** Null if there is nothing to undo. */
    undo: last ? undoChange : null,
    /** Changes to the same text, one after the other, are one step. */
    changeDraft(to: GrantsDraft, typed?: string) {
      if (typed === undefined || typed !== last?.typed) setSteps([...steps, { draft, typed }])
      onChange(to)
    },
    handleKeyDown(event: KeyboardEvent) {
      const isField = event.target instanceof HTMLElement && event.target.matches('input, textarea')
      if (isField || event.shiftKey || !(event.ctrlKey || event.metaKey) || event.key !== 'z') return
      event.preventDefault()
      undoChange()
    },
  }
}

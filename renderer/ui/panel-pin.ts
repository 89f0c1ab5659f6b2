import { createContext } from 'react'

/** Whether a panel is pinned, and the function that pins or unpins it. */
type PanelPin = { readonly isPinned: boolean; readonly onToggle: () => void }

/** The pin of the panels inside; null where panels cannot be pinned. */
export const PanelPinContext = createContext<PanelPin | null>(null)

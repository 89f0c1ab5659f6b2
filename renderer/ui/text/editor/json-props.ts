import type { JsonPlace } from './json-scan.ts'

/** Text that can be inserted at a place. */
export type JsonSuggestion = {
  /** The inserted text. */
  readonly text: string
  /** What it is, such as a type or a masked value. */
  readonly detail: string
}

/** Suggestions, and the end of the typed text that each of them replaces. */
export type JsonSuggestions = {
  readonly replaced: string
  readonly suggestions: readonly JsonSuggestion[]
}

export type JsonHints = {
  /** Suggests what may come next; null for nothing. */
  readonly suggestNext: (place: JsonPlace) => Promise<JsonSuggestions | null>
  /** Describes a reference in the text, such as `${name}` or an id. Null if it is not one. */
  readonly describeReference: (reference: string) => Promise<string | null>
}

/** Something wrong in the text. */
export type JsonFault = {
  /** Where, as the vault writes it: `data.number`; null for text that is not JSON. */
  readonly path: string | null
  /** Whether the member's name is wrong, rather than its value. */
  readonly isName?: boolean
  readonly message: string
}

export type JsonEditorProps = {
  readonly label: string
  readonly value: string
  /** Omit it to make the editor read-only. */
  readonly onChange?: (value: string) => void
  /** Called on Ctrl+Enter or ⌘+Enter. */
  readonly onRun?: () => void
  readonly faults?: readonly JsonFault[]
  readonly hints?: JsonHints
}

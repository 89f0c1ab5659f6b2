import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SourceLocation } from './wrong-place.ts'

/** The most milliseconds to parse; code that takes longer is judged when it is saved. */
const PARSE_TIMEOUT_MS = 50

/** Where code first cannot be parsed; null if it can, or if that is not known. */
export function findFirstError(state: EditorState): SourceLocation | null {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_TIMEOUT_MS)
  let first: SourceLocation | null = null
  tree?.iterate({
    enter({ type, from }) {
      if (first) return false
      if (type.isError) {
        const line = state.doc.lineAt(from)
        first = { line: line.number, column: from - line.from + 1 }
      }
      return !first
    },
  })
  return first
}

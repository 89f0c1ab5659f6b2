import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SourceLocation } from './error-location.ts'

/** Parsing stops after this time. Code that takes longer is checked when it is saved. */
const PARSE_TIMEOUT_MS = 50

/** The location of the first syntax error; null if there is none, or if parsing ran out of time. */
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

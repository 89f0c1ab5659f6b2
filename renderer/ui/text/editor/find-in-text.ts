import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import type { TextRange } from './json-scan.ts'

/** More matches are neither marked nor counted. */
export const MAX_MATCHES = 1000

const found = Decoration.mark({ class: 'cm-found' })
const current = Decoration.mark({ class: 'cm-found cm-found-current' })
const setFound = StateEffect.define<DecorationSet>()

/** Marks what a search found. */
export const findField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects }) => {
    const set = effects.find((effect) => effect.is(setFound))
    return set ? set.value : before.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Finds a term, ignoring case. */
export function findMatches(text: string, term: string): TextRange[] {
  if (term === '') return []
  const pattern = new RegExp(term.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'gi')
  const matches: TextRange[] = []
  for (const { 0: match, index } of text.matchAll(pattern)) {
    matches.push({ from: index, to: index + match.length })
    if (matches.length === MAX_MATCHES) break
  }
  return matches
}

export function showMatches(view: EditorView, matches: readonly TextRange[], at: number): void {
  const marks = matches.map(({ from, to }, index) => (index === at ? current : found).range(from, to))
  const shown = matches[at]
  view.dispatch({
    effects: [
      setFound.of(Decoration.set(marks)),
      ...(shown ? [EditorView.scrollIntoView(shown.from, { y: 'center' })] : []),
    ],
    // A selection unfolds what is around it.
    ...(shown && { selection: { anchor: shown.from } }),
  })
}

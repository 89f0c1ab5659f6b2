import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutterLineClass } from '@codemirror/view'

/** A location in the code. Lines and columns count from 1. */
export type SourceLocation = { readonly line: number; readonly column: number }

export const setLocation = StateEffect.define<SourceLocation | null>()

class WrongLine extends GutterMarker {
  override elementClass = 'cm-wrong-number'
}
const wrongLine = new WrongLine()

type LocationMarks = { readonly text: DecorationSet; readonly gutter: RangeSet<GutterMarker> }
const nothing: LocationMarks = { text: Decoration.none, gutter: RangeSet.empty }

/** Converts a location to an offset in the text. If the text has no such location, returns the nearest offset. */
export function toOffset(text: Text, { line, column }: SourceLocation): number {
  const { from, to } = text.line(Math.min(Math.max(line, 1), text.lines))
  return Math.min(from + Math.max(column - 1, 0), to)
}

function createMarks(text: Text, location: SourceLocation): LocationMarks {
  const at = toOffset(text, location)
  const { from, to } = text.lineAt(at)
  const lineMark = Decoration.line({ class: 'cm-wrong-line' }).range(from)
  const spot = at < to ? [Decoration.mark({ class: 'cm-wrong' }).range(at, at + 1)] : []
  return { text: Decoration.set([lineMark, ...spot]), gutter: RangeSet.of(wrongLine.range(from)) }
}

/** Marks the error: its line, the line number, and the character. */
export const locationField = StateField.define<LocationMarks>({
  create: () => nothing,
  update(before, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setLocation))
    if (set) return set.value === null ? nothing : createMarks(newDoc, set.value)
    return changes.empty ? before : { text: before.text.map(changes), gutter: before.gutter.map(changes) }
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ text }) => text),
    gutterLineClass.from(field, ({ gutter }) => gutter),
  ],
})

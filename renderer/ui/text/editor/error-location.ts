import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutterLineClass } from '@codemirror/view'
import type { TextRange } from './json-scan.ts'

/** A location in the code. Lines and columns count from 1. */
export type SourceLocation = { readonly line: number; readonly column: number }

/** Marks the places of errors, instead of those that are marked. */
export const setErrors = StateEffect.define<readonly TextRange[]>()

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

function createMarks(text: Text, errors: readonly TextRange[]): LocationMarks {
  const sorted = errors.toSorted((a, b) => a.from - b.from)
  const lines = [...new Set(sorted.map(({ from }) => text.lineAt(from).from))]
  const marks = sorted
    .filter(({ from, to }) => from < to)
    .map(({ from, to }) => Decoration.mark({ class: 'cm-wrong' }).range(from, to))
  const lineMarks = lines.map((from) => Decoration.line({ class: 'cm-wrong-line' }).range(from))
  return {
    text: Decoration.set([...lineMarks, ...marks], true),
    gutter: RangeSet.of(lines.map((from) => wrongLine.range(from))),
  }
}

/** Marks the errors: their lines, the line numbers, and the characters. */
export const errorField = StateField.define<LocationMarks>({
  create: () => nothing,
  update(before, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setErrors))
    if (set) return createMarks(newDoc, set.value)
    return changes.empty ? before : { text: before.text.map(changes), gutter: before.gutter.map(changes) }
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ text }) => text),
    gutterLineClass.from(field, ({ gutter }) => gutter),
  ],
})

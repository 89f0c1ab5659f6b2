import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { javascriptLanguage } from '@codemirror/lang-javascript'
import { bidiIsolates, foldGutter, foldKeymap } from '@codemirror/language'
import { type Extension, Prec } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  hoverTooltip,
  keymap,
  MatchDecorator,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { markText } from '../marked-text.tsx'
import { findField } from './find-in-text.ts'
import type { JsonHints, JsonSuggestion } from './json-props.ts'
import { scanJson } from './json-scan.ts'

/** `${name}` or `{{ an expression }}`. */
const references = /\$\{\w+\}|\{\{(?:[^{}"\\]|\\.)*\}\}/g
/** The same, or a word that may be an id. */
const described = new RegExp(`${references.source}|[\\w-]{8,}`, 'g')
/** Text before the caret that is longer gets no suggestions, because scanning it would be slow. */
const MAX_SCANNED_LENGTH = 200_000

/** JSON with colours, folding and search, and with suggestions and descriptions from `hints`. */
export function createJsonLanguage(hints: () => JsonHints | undefined): Extension {
  return [
    // JSON is an expression of JavaScript; `scanJson` finds what is not JSON.
    javascriptLanguage.configure({ top: 'SingleExpression' }),
    Prec.high([colourMatches(/"(?:\\.|[^"\\])*"(\s*:)?/g, 'tok-propertyName'), referenceColours]),
    EditorView.lineWrapping,
    // A name from right to left must not change places with its value.
    bidiIsolates({ alwaysIsolate: true }),
    foldGutter(),
    // On a Mac, the package uses another key.
    keymap.of([...foldKeymap, { key: 'Ctrl-Space', run: startCompletion }]),
    findField,
    autocompletion({ override: [(context) => suggestCompletions(context, hints())], icons: false }),
    hoverTooltip((view, at) => describeAt(view, at, hints())),
  ]
}

/** Gives a class to the matches of a pattern; if it has a group, only to those in which the group matched. */
function colourMatches(regexp: RegExp, className: string): Extension {
  const mark = Decoration.mark({ class: className })
  const matcher = new MatchDecorator({
    regexp,
    decorate: (add, from, to, match) => {
      if (match.length === 1 || match[1] !== undefined) add(from, to - (match[1]?.length ?? 0), mark)
    },
  })
  return ViewPlugin.define(
    (view) => {
      const plugin = {
        decorations: matcher.createDeco(view),
        update: (change: ViewUpdate) => {
          plugin.decorations = matcher.updateDeco(change, plugin.decorations)
        },
      }
      return plugin
    },
    { decorations: (plugin) => plugin.decorations },
  )
}

const referenceColours = colourMatches(references, 'cm-reference')

async function suggestCompletions(
  { state, pos, explicit }: CompletionContext,
  hints: JsonHints | undefined,
): Promise<CompletionResult | null> {
  if (!hints || state.readOnly || pos > MAX_SCANNED_LENGTH) return null
  const place = scanJson(state.sliceDoc(0, pos)).end
  if (place.typed === '' && !explicit) return null
  const found = await hints.suggestNext(place)
  if (!found) return null
  const options = found.suggestions.map(toCompletion)
  return { from: pos - found.replaced.length, options, filter: false }
}

function toCompletion({ text, detail }: JsonSuggestion): Completion {
  return {
    label: text,
    displayLabel: markText(text),
    detail: markText(detail),
    apply: (view, completion, from, to) => {
      const end = to + countClosing(view.state.sliceDoc(to, to + 40), text)
      view.dispatch({
        changes: { from, to: end, insert: text },
        selection: { anchor: from + text.length },
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
      })
    },
  }
}

/** The length of what follows the caret and ends the inserted text too, such as a closing quote. */
function countClosing(after: string, inserted: string): number {
  const closing = inserted.endsWith('": ') ? /^"?\s*:\s?/ : inserted.endsWith('"') ? /^"/ : /^\s*\}{1,2}/
  return closing.exec(after)?.[0].length ?? 0
}

async function describeAt(
  { state }: EditorView,
  at: number,
  hints: JsonHints | undefined,
): Promise<Tooltip | null> {
  const line = state.doc.lineAt(at)
  if (!hints || line.length > MAX_SCANNED_LENGTH) return null
  for (const { 0: reference, index } of line.text.matchAll(described)) {
    const from = line.from + index
    if (at < from || at > from + reference.length) continue
    const text = await hints.describeReference(reference)
    if (text === null) return null
    return { pos: from, end: from + reference.length, above: true, create: () => ({ dom: createTip(text) }) }
  }
  return null
}

function createTip(text: string): HTMLElement {
  const dom = document.createElement('div')
  dom.className = 'cm-tip'
  dom.textContent = markText(text)
  return dom
}

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascriptLanguage } from '@codemirror/lang-javascript'
import { bracketMatching, ensureSyntaxTree, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, Prec, type Text } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { styleNonce } from '../../nonce.ts'
import codeEditorStyles from './code-editor.module.css'
import { errorField, type SourceLocation, setErrors, toOffset } from './error-location.ts'
import type { TextRange } from './json-scan.ts'

type Props = {
  readonly label: string
  readonly describedBy: string | undefined
  readonly value: string
  readonly onChange: ((value: string) => void) | undefined
  readonly onRun: (() => void) | undefined
  readonly errors: readonly SourceLocation[] | readonly TextRange[]
  /** Scrolls the first error into view. */
  readonly reveal?: boolean
  /** Called once typing pauses: with the first location that cannot be parsed, or null if there is none. */
  readonly onParsed?: (location: SourceLocation | null) => void
  /** The language and what belongs to it, fixed when the editor appears; JavaScript by default. */
  readonly language?: Extension
  /** Called with the view when it appears. */
  readonly onView?: (view: EditorView) => void
}

/** How long typing must pause before the code is parsed. */
const PAUSE_MS = 400

/** CodeMirror, set up for a form. */
export function Editor(props: Props) {
  const { label, describedBy, value, onChange, onRun, errors, reveal = false, onParsed, onView } = props
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const latest = useRef({ value, onChange, onRun, onParsed, onView })
  latest.current = { value, onChange, onRun, onParsed, onView }
  const [language] = useState<Extension>(() => props.language ?? javascriptLanguage)
  const isFixed = onChange === undefined

  useEffect(() => {
    if (!box.current) return
    let pause: ReturnType<typeof setTimeout> | undefined
    const parseView = (view: EditorView) => latest.current.onParsed?.(findFirstError(view.state))
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          // SECURITY: the content security policy allows only style tags with the page's nonce.
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({
            'aria-label': label,
            ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
            ...(isFixed && { 'aria-readonly': 'true', tabindex: '0' }),
          }),
          EditorState.readOnly.of(isFixed),
          EditorView.editable.of(!isFixed),
          EditorState.tabSize.of(2),
          lineNumbers(),
          // Shows invisible and direction characters, because code may come from someone else.
          highlightSpecialChars(),
          history(),
          indentOnInput(),
          bracketMatching(),
          language,
          syntaxHighlighting(classHighlighter),
          errorField,
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => callIfSet(latest.current.onRun) }])),
          keymap.of([{ key: 'Escape', run: releaseTab }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
          EditorView.domEventHandlers({
            blur: (_event, blurred) => holdTab(blurred),
            beforeinput: replaceSelected,
          }),
          EditorView.updateListener.of(({ docChanged, state, view: changed }) => {
            if (!docChanged) return
            holdTab(changed)
            clearTimeout(pause)
            pause = setTimeout(parseView, PAUSE_MS, changed)
            const text = state.doc.toString()
            if (text === latest.current.value) return
            // Updates synchronously, because React would otherwise restore the text from before this
            // keystroke.
            flushSync(() => latest.current.onChange?.(text))
          }),
        ],
      }),
    })
    editor.current = view
    latest.current.onView?.(view)
    return () => {
      clearTimeout(pause)
      editor.current = null
      view.destroy()
    }
  }, [label, describedBy, isFixed, language])

  useEffect(() => {
    const view = editor.current
    if (!view || view.state.doc.toString() === value) return
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } })
  }, [value])

  const places = JSON.stringify(errors)
  useEffect(() => {
    const view = editor.current
    if (!view) return
    const found: Props['errors'] = JSON.parse(places)
    const ranges = found.map((place) => toRange(view.state.doc, place))
    view.dispatch({ effects: setErrors.of(ranges) })
    const [first] = ranges
    if (first && reveal) view.dispatch({ effects: EditorView.scrollIntoView(first.from) })
  }, [places, reveal])

  return <div ref={box} className={codeEditorStyles.box} />
}

/** The range of an error in the text, which may be shorter than when the error was found. */
function toRange(text: Text, place: SourceLocation | TextRange): TextRange {
  const from = 'line' in place ? toOffset(text, place) : Math.min(place.from, text.length)
  const to = 'line' in place ? from + 1 : place.to
  return { from, to: Math.min(to, text.lineAt(from).to) }
}

function callIfSet(callback: (() => void) | undefined): boolean {
  callback?.()
  return callback !== undefined
}

/**
 * Replaces or deletes the selection: the browser would keep its colours as inline styles, which the policy blocks
 * . It is the browser's selection, because the editor may not know of a new one yet.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const insert = getInsertedText(event)
  const selection = document.getSelection()
  if (insert === null || event.isComposing || view.state.readOnly || !selection?.rangeCount) return false
  const range = selection.getRangeAt(0)
  const from = view.posAtDOM(range.startContainer, range.startOffset)
  const to = view.posAtDOM(range.endContainer, range.endOffset)
  if (from === to) return false
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: insert === '' ? 'delete' : 'input.type',
    scrollIntoView: true,
  })
  return true
}

function getInsertedText({ inputType, data }: InputEvent): string | null {
  if (inputType === 'insertText') return data
  if (inputType === 'insertParagraph' || inputType === 'insertLineBreak') return '\n'
  return inputType.startsWith('delete') ? '' : null
}

/** After Escape, Tab leaves the editor, for keyboard users. This press of Escape does not close the drawer. */
function releaseTab(view: EditorView): boolean {
  view.setTabFocusMode(true)
  return true
}

/** Makes Tab indent again. */
function holdTab(view: EditorView): void {
  view.setTabFocusMode(false)
}

/** Parsing stops after this time. Code that takes longer is checked when it is saved. */
const PARSE_TIMEOUT_MS = 50

/** The location of the first syntax error; null if there is none, or if parsing ran out of time. */
function findFirstError(state: EditorState): SourceLocation | null {
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

import type { Edit, Rule, Shown } from '../field.ts'

export type Typed = {
  deleting: boolean
  atEnd: boolean
  /** Nothing of the text before is left. */
  replaced: boolean
}

type Handlers = {
  rule(): Rule
  /** The text has changed by the person's hand. */
  edited(typed: Typed): void
  focused(): void
  left(): void
  key(event: KeyboardEvent): void
  /** Backspace in an empty input. */
  back(): void
}

export type Box = {
  input: HTMLInputElement
  text(): string
  /** Sets the text by the rules; true if it changed. */
  write(text: string): boolean
  /** Forgets what could be undone. */
  forget(): void
}

const mostUndone = 100
const typedOne = new Set(['insertText', 'insertCompositionText'])
const replaces = /^(?:insertText|insertFromPaste|deleteByCut|deleteContent\w+)$/

/** An input that shows what is typed in the form of its rules, with the caret where the person works. */
export function inputBox(handlers: Handlers): Box {
  const input = document.createElement('input')
  input.type = 'text'
  input.className = 'field'
  input.spellcheck = false
  input.setAttribute('autocorrect', 'off')
  input.setAttribute('autocapitalize', 'off')
  let shown: Shown = { text: '', caret: 0 }
  let undone: Shown[] = []
  let redone: Shown[] = []
  let isAllSelected = false

  function show(next: Shown): void {
    shown = next
    if (input.value === next.text) {
      if (input.selectionStart === next.caret) return
    } else input.value = next.text
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret)
  }

  function edit(change: Omit<Edit, 'raw' | 'caret'>, forward: boolean, isReplaced = false): void {
    const before = shown
    const raw = input.value
    const next = handlers.rule().edit({ raw, caret: input.selectionStart ?? raw.length, ...change })
    const stuck = forward && next.text === before.text
    show(stuck ? { ...next, caret: Math.min(next.caret + 1, next.text.length) } : next)
    if (next.text === before.text) return
    undone = [...undone, before].slice(-mostUndone)
    redone = []
    const replaced = isReplaced || next.text === ''
    handlers.edited({ deleting: change.deleting, atEnd: next.caret === next.text.length, replaced })
  }

  function undo(from: Shown[], to: Shown[]): void {
    const last = from.pop()
    if (!last) return
    to.push(shown)
    show(last)
    handlers.edited({ deleting: true, atEnd: false, replaced: false })
  }

  input.addEventListener('beforeinput', () => {
    isAllSelected = input.selectionStart === 0 && input.selectionEnd === input.value.length
  })
  input.addEventListener('input', (event) => {
    const { inputType = '', isComposing = false } = event instanceof InputEvent ? event : {}
    if (isComposing) return
    const deleting = inputType.startsWith('delete')
    const change = { deleting, whole: !deleting && !typedOne.has(inputType) }
    edit(change, inputType === 'deleteContentForward', isAllSelected && replaces.test(inputType))
  })
  input.addEventListener('compositionend', () => edit({ deleting: false, whole: false }, false))
  input.addEventListener('focus', handlers.focused)
  input.addEventListener('blur', handlers.left)
  input.addEventListener('keydown', (event) => {
    handlers.key(event)
    // A browser that fills in a form sends a keydown without a key.
    const key = event.key?.toLowerCase()
    if (key === 'backspace' && input.value === '') {
      event.preventDefault()
      handlers.back()
    }
    // The browser's own undo does not know of a text that a script has put in form.
    if (!(event.ctrlKey || event.metaKey) || event.altKey || input.readOnly) return
    if (key !== 'z' && key !== 'y') return
    event.preventDefault()
    if (key === 'y' || event.shiftKey) undo(redone, undone)
    else undo(undone, redone)
  })

  return {
    input,
    text: () => shown.text,
    write(text) {
      const next = handlers.rule().edit({ raw: text, caret: text.length, deleting: false, whole: true })
      // The caret of someone who is typing stays where it is.
      if (next.text === shown.text) return false
      show(next)
      return true
    },
    forget() {
      undone = []
      redone = []
    },
  }
}

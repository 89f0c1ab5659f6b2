import type { FieldRule, FieldText, TextEdit } from '../field.ts'

export type InputEdit = {
  deleting: boolean
  atEnd: boolean
  /** Whether the edit replaced the complete text. */
  replaced: boolean
}

type InputHandlers = {
  getRule(): FieldRule
  onEdit(edit: InputEdit): void
  onFocus(): void
  onBlur(): void
  onKeyDown(event: KeyboardEvent): void
  /** Called on Backspace in an empty input. */
  onBackspace(): void
}

export type Box = {
  input: HTMLInputElement
  text(): string
  /** Sets the text through the rule. Returns whether it changed. */
  writeText(text: string): boolean
  clearHistory(): void
}

const MAX_UNDO_STEPS = 100
const typingInputTypes = new Set(['insertText', 'insertCompositionText'])
const replaces = /^(?:insertText|insertFromPaste|deleteByCut|deleteContent\w+)$/

/** Creates an input that formats the text by its rule while the caret stays in place. */
export function createInputBox(handlers: InputHandlers): Box {
  const input = document.createElement('input')
  input.type = 'text'
  input.className = 'field'
  input.spellcheck = false
  input.setAttribute('autocorrect', 'off')
  input.setAttribute('autocapitalize', 'off')
  let current: FieldText = { text: '', caret: 0 }
  let undone: FieldText[] = []
  let redone: FieldText[] = []
  let isAllSelected = false

  function showText(next: FieldText): void {
    current = next
    if (input.value === next.text) {
      if (input.selectionStart === next.caret) return
    } else input.value = next.text
    if (document.activeElement === input) input.setSelectionRange(next.caret, next.caret)
  }

  function applyChange(change: Omit<TextEdit, 'raw' | 'caret'>, forward: boolean, isReplaced = false): void {
    const before = current
    const raw = input.value
    const next = handlers.getRule().applyEdit({ raw, caret: input.selectionStart ?? raw.length, ...change })
    const stuck = forward && next.text === before.text
    showText(stuck ? { ...next, caret: Math.min(next.caret + 1, next.text.length) } : next)
    if (next.text === before.text) return
    undone = [...undone, before].slice(-MAX_UNDO_STEPS)
    redone = []
    const replaced = isReplaced || next.text === ''
    handlers.onEdit({ deleting: change.deleting, atEnd: next.caret === next.text.length, replaced })
  }

  function restoreText(from: FieldText[], to: FieldText[]): void {
    const last = from.pop()
    if (!last) return
    to.push(current)
    showText(last)
    handlers.onEdit({ deleting: true, atEnd: false, replaced: false })
  }

  input.addEventListener('beforeinput', () => {
    isAllSelected = input.selectionStart === 0 && input.selectionEnd === input.value.length
  })
  input.addEventListener('input', (event) => {
    const { inputType = '', isComposing = false } = event instanceof InputEvent ? event : {}
    if (isComposing) return
    const deleting = inputType.startsWith('delete')
    const change = { deleting, isReplacement: !deleting && !typingInputTypes.has(inputType) }
    applyChange(change, inputType === 'deleteContentForward', isAllSelected && replaces.test(inputType))
  })
  input.addEventListener('compositionend', () =>
    applyChange({ deleting: false, isReplacement: false }, false),
  )
  input.addEventListener('focus', handlers.onFocus)
  input.addEventListener('blur', handlers.onBlur)
  input.addEventListener('keydown', (event) => {
    handlers.onKeyDown(event)
    // Browsers that fill in a form send a keydown without a key.
    const key = event.key?.toLowerCase()
    if (key === 'backspace' && input.value === '') {
      event.preventDefault()
      handlers.onBackspace()
    }
    // The browser's own undo cannot restore text that a script has formatted.
    if (!(event.ctrlKey || event.metaKey) || event.altKey || input.readOnly) return
    if (key !== 'z' && key !== 'y') return
    event.preventDefault()
    if (key === 'y' || event.shiftKey) restoreText(redone, undone)
    else restoreText(undone, redone)
  })

  return {
    input,
    text: () => current.text,
    writeText(text) {
      const next = handlers
        .getRule()
        .applyEdit({ raw: text, caret: text.length, deleting: false, isReplacement: true })
      // Leave unchanged text alone, because setting it would move the caret of someone who is typing.
      if (next.text === current.text) return false
      showText(next)
      return true
    },
    clearHistory() {
      undone = []
      redone = []
    },
  }
}

import type { ElementEvent, ElementOptions } from '../protocol.ts'
import { type FieldProblem, type FieldRule, toDigits, type ValidationResult } from './field.ts'
import { type FieldName, getFieldTexts } from './field-names.ts'
import { getMaxLength } from './field-rule.ts'
import { type ElementSettings, getInputMode } from './settings.ts'
import { type CopyIcon, createCopyIcon } from './view/copy.ts'
import { type Box, createInputBox, type InputEdit } from './view/input.ts'

type InputFieldDeps = {
  createRule(field: InputField): FieldRule
  /** The options that label the copy icon. Without them, the input has none. */
  copyLabels: ElementOptions | undefined
  onEdit(field: InputField, edit: InputEdit): void
  onBlur(field: InputField): void
  /** Called on Backspace in an empty input. */
  onBackspace(field: InputField): void
  onEvent(event: ElementEvent): void
}

/** One input of an element, in a row with its error and its copy icon. */
export class InputField {
  readonly part: FieldName
  readonly targetId: string
  readonly box: Box
  readonly row = document.createElement('div')
  readonly note = document.createElement('span')
  readonly #deps: InputFieldDeps
  readonly #copyIcon: CopyIcon | undefined
  /** Whether the input was left or validated. From then on, being empty is an error too. */
  visited = false
  visibleProblem: FieldProblem | null = null
  /** Whether the input shows a value set by reference or mirrored, or what an edit left of it. */
  revealed = false

  constructor(part: FieldName, targetId: string, deps: InputFieldDeps) {
    this.part = part
    this.targetId = targetId
    this.#deps = deps
    this.box = createInputBox({
      getRule: () => deps.createRule(this),
      onEdit: (edit) => deps.onEdit(this, edit),
      onFocus: () => deps.onEvent({ type: 'focus', targetId }),
      onBlur: () => deps.onBlur(this),
      onKeyDown: ({ key, altKey, ctrlKey, shiftKey, metaKey }) => {
        if (key !== 'Escape' && key !== 'Enter') return
        deps.onEvent({ type: 'keydown', targetId, key, altKey, ctrlKey, shiftKey, metaKey })
      },
      onBackspace: () => deps.onBackspace(this),
    })
    this.#copyIcon =
      deps.copyLabels &&
      createCopyIcon(
        `Copy ${getFieldTexts(part, deps.copyLabels, undefined).label}`,
        () => this.getTextToCopy(),
        () => deps.onEvent({ type: 'copy', targetId }),
      )
    this.row.className = `row ${part}`
    this.note.className = 'note'
    this.note.id = `${part}-note`
    this.box.input.id = part
    this.row.append(this.box.input, this.note)
    if (this.#copyIcon) this.row.append(this.#copyIcon.button)
  }

  validateText(): ValidationResult {
    return this.#deps.createRule(this).validate(this.box.text())
  }

  focusInput(): void {
    const { input } = this.box
    input.focus()
    input.setSelectionRange(input.value.length, input.value.length)
  }

  getTextToCopy(): string {
    return this.part === 'number' ? toDigits(this.box.text()) : this.box.text()
  }

  writeText(text: string, revealed: boolean): void {
    const wasRevealed = this.revealed
    this.revealed = revealed
    this.box.writeText(text)
    if (this.box.text() === '') this.revealed = false
    // SECURITY: undo must not bring back a revealed value as if it had been typed.
    if (wasRevealed || revealed) this.box.clearHistory()
  }

  /** Treats the text as typed, after an edit that replaced a revealed value completely. */
  endReveal(): void {
    if (!this.revealed) return
    this.revealed = false
    this.box.writeText(this.box.text())
    this.box.clearHistory()
  }

  /** Empties the input. Returns whether its text changed. */
  clearText(): boolean {
    const isChanged = this.box.writeText('')
    this.visited = false
    this.visibleProblem = null
    this.revealed = false
    this.box.clearHistory()
    return isChanged
  }

  /**
   * Displays whether the text is valid. The error appears once it `isDue`, such as when the input is left,
   * and disappears as soon as it is corrected.
   */
  showState({ problem, maskSatisfied }: ValidationResult, isDue: boolean): void {
    const { input, text } = this.box
    const isEmpty = text() === ''
    const isShown = (isDue || this.visibleProblem !== null) && (!isEmpty || this.visited)
    this.visibleProblem = isShown ? problem : null
    const isInvalid = this.visibleProblem !== null
    input.classList.toggle('empty', isEmpty)
    input.classList.toggle('complete', !isEmpty && problem === null && maskSatisfied)
    input.classList.toggle('invalid', isInvalid)
    input.setAttribute('aria-invalid', String(isInvalid))
    if (isInvalid) input.setAttribute('aria-describedby', this.note.id)
    else input.removeAttribute('aria-describedby')
    this.note.textContent = isInvalid ? `${input.getAttribute('aria-label')} is ${this.visibleProblem}` : ''
  }

  showTexts(options: ElementOptions, codeName: string | undefined): void {
    const { label, placeholder, autoComplete } = getFieldTexts(this.part, options, codeName)
    this.box.input.setAttribute('aria-label', label)
    this.box.input.placeholder = placeholder
    this.box.input.setAttribute('autocomplete', autoComplete)
  }

  applySettings({ options, mask }: ElementSettings): void {
    const { input } = this.box
    const isText = this.part === 'text'
    const maxLength = isText && !mask ? getMaxLength(options) : undefined
    input.type = isText && options.password === true ? 'password' : 'text'
    input.inputMode = getInputMode(options.inputMode, !isText)
    input.disabled = options.disabled === true
    input.readOnly = options.readOnly === true
    if (maxLength === undefined) input.removeAttribute('maxlength')
    else input.maxLength = maxLength
    this.#copyIcon?.restyle(options.copyIconStyles)
    this.box.writeText(this.box.text())
  }
}

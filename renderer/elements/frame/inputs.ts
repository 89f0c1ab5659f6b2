import type {
  BinInfo,
  CardMetadata,
  ElementEvent,
  ElementMetadata,
  ElementOptions,
  FieldError,
  FromElement,
  StartedElement,
  ToElement,
} from '../protocol.ts'
import { CardNumber } from './card-number.ts'
import type { ValidationResult } from './field.ts'
import { cardTargets, type FieldName, fieldsByType, type InputType } from './field-names.ts'
import { createFieldRule } from './field-rule.ts'
import { InputField } from './input-field.ts'
import { type DataFrameLink, joinDataFrame } from './link.ts'
import { Revalidation } from './revalidation.ts'
import { catchConfigurationError, createSettings, type ElementSettings, updateSettings } from './settings.ts'
import { type FieldValue, readValue, resolveReferences, toFieldTexts } from './values.ts'
import type { InputEdit } from './view/input.ts'
import { mountElement } from './view/mount.ts'
import { styleFrame } from './view/sheet.ts'

type Payload = ElementMetadata & Partial<CardMetadata> & { binInfo?: BinInfo; selectedNetwork?: string }

/** Starts an element with inputs. Throws ConfigurationError before anything is displayed. */
export function startInputs(started: StartedElement & { type: InputType }): void {
  new InputsElement(started).displayInputs()
}

class InputsElement {
  readonly #type: InputType
  readonly #port: MessagePort
  readonly #link: DataFrameLink
  readonly #setStyle: (style: unknown) => void
  readonly #fields: readonly InputField[]
  readonly #card: CardNumber | undefined
  readonly #revalidation = new Revalidation()
  #settings: ElementSettings
  /** What the page was last told about the inputs. */
  #payload: Payload
  #isReady = false
  /** Whether another element mirrors this one. */
  #isFollowed = false
  /** Counts the changes by a program, so that a reference that resolves late does not undo a newer one. */
  #changes = 0
  #staticValue = ''

  constructor(started: StartedElement & { type: InputType }) {
    this.#type = started.type
    this.#port = started.port
    this.#settings = createSettings(started.type, started.options)
    this.#link = joinDataFrame(started, {
      readValue: (method, format) => this.#readValue(method, format),
      onFollow: () => {
        this.#isFollowed = true
        this.#sendValue()
      },
      onMirrorValue: (value) => this.#onMirrorValue(value),
    })
    this.#setStyle = styleFrame(false)
    this.#fields = fieldsByType[started.type].map((part) => this.#createField(part))
    const number = this.#fields.find(({ part }) => part === 'number')
    this.#card =
      number &&
      new CardNumber(number, {
        getSettings: () => this.#settings,
        lookUpBin: (bin) => this.#link.lookUpBin(bin),
        onDetails: () => this.#refreshState(false),
        onNetwork: () => this.#refreshState(false, [number]),
      })
    this.#payload = this.#buildPayload()
  }

  displayInputs(): void {
    this.#port.onmessage = ({ data }: MessageEvent<ToElement>) => this.#onMessage(data)
    // Create the inputs without the static value and set it afterwards, so that the page gets a change event
    // for it.
    const { options } = this.#settings
    const { value: _, ...withoutValue } = options
    this.#applySettings({ ...this.#settings, options: withoutValue })
    this.#refreshState(false)
    const initial = this.#payload
    this.#applySettings({ ...this.#settings, options })
    this.#refreshState(false)
    this.#postState()
    const container = document.createElement('div')
    container.className = this.#type === 'card' ? 'container card' : 'container'
    container.append(...this.#fields.map(({ row }) => row))
    mountElement(container, (message) => this.#postMessage(message))
    this.#isReady = true
    this.#emitEvent({ type: 'ready' })
    if (hasChanged(initial, this.#payload)) this.#emitEvent({ type: 'change', ...this.#payload })
  }

  #postMessage(message: FromElement): void {
    this.#port.postMessage(message)
  }

  #emitEvent(event: ElementEvent): void {
    this.#postMessage({ kind: 'event', event })
  }

  #onMessage(message: ToElement): void {
    if (message.kind === 'update') this.#updateOptions(message)
    else if (message.kind === 'do') this.#runCommand(message.command)
    else if (message.kind === 'set') void this.#setValue(message)
    else this.#link.mirror(message.source)
  }

  #createField(part: FieldName): InputField {
    const { targetId, enableCopy } = this.#settings.options
    return new InputField(part, this.#type === 'card' ? cardTargets[part] : (targetId ?? ''), {
      createRule: (field) => createFieldRule(field, this.#settings, this.#getCodeType()),
      copyLabels: enableCopy === true ? this.#settings.options : undefined,
      onEdit: (field, edit) => this.#onEdit(field, edit),
      onBlur: (field) => this.#onBlur(field),
      onBackspace: (field) => this.#fields[this.#fields.indexOf(field) - 1]?.focusInput(),
      onEvent: (event) => this.#emitEvent(event),
    })
  }

  #getCodeType() {
    if (this.#type === 'card') return this.#card?.getBrand()
    const { cardTypes, options } = this.#settings
    return cardTypes.find(({ type }) => type === options.cardBrand)
  }

  #validateField(field: InputField): ValidationResult {
    return field === this.#card?.field ? this.#card.validateNumber() : field.validateText()
  }

  #onEdit(field: InputField, { deleting, atEnd, replaced }: InputEdit): void {
    if (replaced) field.endReveal()
    this.#refreshState(true)
    const next = this.#fields[this.#fields.indexOf(field) + 1]
    // Browsers also fill in inputs that do not have the focus.
    const isIn = document.hasFocus() && document.activeElement === field.box.input
    if (!next || !isIn || !atEnd || deleting) return
    if (field.validateText().problem === null) next.focusInput()
  }

  #onBlur(field: InputField): void {
    field.visited = true
    this.#refreshState(false, [field])
    this.#emitEvent({ type: 'blur', targetId: field.targetId, ...toMetadata(this.#payload) })
  }

  #buildPayload(): Payload {
    const results = this.#fields.map((field) => this.#validateField(field))
    const valid = results.every((each) => each.valid)
    const maskSatisfied = results.every((each) => each.maskSatisfied)
    const errors: FieldError[] = this.#fields.flatMap(({ targetId, visibleProblem }) =>
      visibleProblem ? [{ targetId, type: visibleProblem }] : [],
    )
    return {
      empty: this.#fields.every(({ box }) => box.text() === ''),
      complete: valid && maskSatisfied,
      valid,
      maskSatisfied,
      ...(errors.length > 0 && { errors }),
      ...this.#card?.buildPayload(),
    }
  }

  /** Validates all inputs, updates the display, and posts what changed to the page. */
  #refreshState(isValueChanged: boolean, checked: readonly InputField[] = []): void {
    const { validateOnChange } = this.#settings.options
    this.#card?.lookUpBin()
    for (const field of this.#fields) {
      field.showState(this.#validateField(field), validateOnChange === true || checked.includes(field))
      if (field.part === 'code') this.#showTexts(field)
    }
    this.#card?.showIcon()
    const before = this.#payload
    this.#payload = this.#buildPayload()
    if (isValueChanged && this.#isFollowed) this.#sendValue()
    if (!this.#isReady) return
    const isDifferent = hasChanged(before, this.#payload)
    if (isDifferent) this.#postState()
    if (isDifferent || (isValueChanged && validateOnChange === true))
      this.#emitEvent({ type: 'change', ...this.#payload })
  }

  #postState(): void {
    this.#postMessage({
      kind: 'state',
      metadata: toMetadata(this.#payload),
      ...(this.#card && { cardMetadata: this.#card.buildMetadata() }),
    })
  }

  #showTexts(field: InputField): void {
    field.showTexts(this.#settings.options, this.#getCodeType()?.code.name)
  }

  #applySettings(settings: ElementSettings): void {
    this.#settings = settings
    const { options } = settings
    for (const field of this.#fields) {
      this.#showTexts(field)
      field.applySettings(settings)
    }
    this.#card?.disablePicker(options.disabled === true)
    this.#setStyle(options.style)
    const serialized = JSON.stringify(options.value) ?? ''
    if (serialized !== '' && serialized !== this.#staticValue)
      this.#writeTexts(toFieldTexts(fieldsByType[this.#type], options.value), false)
    this.#staticValue = serialized
  }

  #writeTexts(texts: { readonly [part in FieldName]?: string }, revealed: boolean): void {
    this.#changes++
    for (const field of this.#fields) {
      const text = texts[field.part]
      if (text !== undefined) field.writeText(text, revealed)
    }
  }

  async #setValue({ value, validate }: Extract<ToElement, { kind: 'set' }>): Promise<void> {
    const change = ++this.#changes
    const resolvedValue = await resolveReferences(value, this.#link.resolve)
    // The input was set again in the meantime, so the newer value stays.
    if (change !== this.#changes) return
    const texts = toFieldTexts(fieldsByType[this.#type], resolvedValue)
    this.#writeTexts(texts, true)
    // SECURITY: report a change even if the text is unchanged, so that the page cannot compare it with a
    // text that it knows.
    const isChanged = Object.keys(texts).length > 0
    if (validate) this.#checkFields(isChanged)
    else this.#refreshState(isChanged)
  }

  #onMirrorValue(value: unknown): void {
    const { type, text } = Object(value) as { type?: unknown; text?: unknown }
    const [part] = fieldsByType[this.#type]
    if (type !== this.#type || !part || typeof text !== 'string') return
    this.#writeTexts({ [part]: text }, true)
    this.#refreshState(true)
  }

  /** Sends the value to the elements that mirror this one. A card has no single value. */
  #sendValue(): void {
    const [field] = this.#fields
    if (field && this.#type !== 'card')
      this.#link.sendValue({ type: this.#type, text: field.getTextToCopy() })
  }

  #readValue(method: string | undefined, format: string | undefined): FieldValue {
    const readings = this.#fields.map((field) => {
      const text = field.box.text()
      const problem = text === '' ? ('incomplete' as const) : this.#validateField(field).problem
      return { part: field.part, text, problem }
    })
    const { transform } = this.#settings
    return {
      ...readValue(this.#type, readings, { transform, method, format }),
      revealed: this.#fields.some(({ revealed }) => revealed),
    }
  }

  #updateOptions({ call, options }: { call: number; options: ElementOptions }): void {
    const error = catchConfigurationError(() => {
      const next = updateSettings(this.#type, this.#settings, options)
      if (this.#fields.some(({ box, revealed }) => !revealed && box.text() !== ''))
        this.#revalidation.checkChange(this.#settings, next)
      const listValues = () => this.#fields.map(({ box, revealed }) => [box.text(), revealed])
      const before = listValues()
      this.#applySettings(next)
      this.#refreshState(hasChanged(before, listValues()))
    })
    this.#postMessage({ kind: 'updated', call, ...(error && { error }) })
  }

  #runCommand(command: 'clear' | 'focus' | 'blur' | 'validate'): void {
    if (command === 'clear') this.#clearFields()
    else if (command === 'focus') this.#fields[0]?.focusInput()
    else if (command === 'blur') for (const { box } of this.#fields) box.input.blur()
    else this.#checkFields()
  }

  #clearFields(): void {
    this.#changes++
    this.#refreshState(this.#fields.map((field) => field.clearText()).includes(true))
  }

  #checkFields(isValueChanged = false): void {
    for (const field of this.#fields) field.visited = true
    this.#refreshState(isValueChanged, this.#fields)
  }
}

function toMetadata({ complete, valid, maskSatisfied, empty, errors }: Payload): ElementMetadata {
  return { complete, valid, maskSatisfied, empty, ...(errors && { errors }) }
}

function hasChanged(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after)
}

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
import { matchBrands } from './cards/brand.ts'
import { createCodeRule } from './cards/code.ts'
import { createExpiryRule } from './cards/expiry.ts'
import { listNetworks, toBinInfo } from './cards/networks.ts'
import { createNumberRule, toBin } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { type FieldProblem, type FieldRule, toDigits, type ValidationResult } from './field.ts'
import { cardTargets, type FieldName, fieldsByType, getFieldTexts, type InputType } from './field-names.ts'
import { type DataFrameLink, joinDataFrame } from './link.ts'
import { Revalidation } from './revalidation.ts'
import { createRevealedRule } from './revealed.ts'
import {
  ConfigurationError,
  createSettings,
  type ElementSettings,
  getInputMode,
  updateSettings,
} from './settings.ts'
import { createTextRule } from './text/rule.ts'
import { type FieldValue, readCard, readExpiry, resolveReferences, toFieldTexts } from './values.ts'
import { createBrandIcon } from './view/brand-icon.ts'
import { type CopyIcon, createCopyIcon } from './view/copy.ts'
import { type Box, createInputBox, type InputEdit } from './view/input.ts'
import { styleFrame } from './view/sheet.ts'

type InputField = {
  part: FieldName
  targetId: string
  box: Box
  row: HTMLElement
  note: HTMLElement
  copy: CopyIcon | undefined
  /** Whether the input was left or validated. From then on, being empty is an error too. */
  visited: boolean
  visibleProblem: FieldProblem | null
  /**
   * Whether the input shows a value that was set by reference or mirrored, or the rest of such a value after
   * an edit.
   */
  revealed: boolean
}

type Payload = ElementMetadata & Partial<CardMetadata> & { binInfo?: BinInfo; selectedNetwork?: string }

const DEFAULT_MAX_YEARS = 19
/**
 * The minimum length of a number whose first and last digits the page gets. The first and last digits of a
 * shorter number would reveal nearly all of it.
 */
const MIN_EXPOSED_DIGITS = 12

/** Starts an element with inputs. Throws ConfigurationError before anything is displayed. */
export function startInputs(started: StartedElement & { type: InputType }): void {
  const { type, port } = started
  let settings: ElementSettings = createSettings(type, started.options)
  const { validateOnChange = false, enableCopy = false } = settings.options
  const hasNumber = type === 'card' || type === 'cardNumber'

  const post = (message: FromElement) => port.postMessage(message)
  const emitEvent = (event: ElementEvent) => post({ kind: 'event', event })

  const container = document.createElement('div')
  container.className = type === 'card' ? 'container card' : 'container'
  const picker = document.createElement('select')
  picker.className = 'networks'
  picker.setAttribute('aria-label', 'Card network')
  picker.hidden = true
  const setStyle = styleFrame(false)

  let last = ''
  let lastPayload: Payload | undefined
  let ready = false
  let following = false
  let sets = 0
  let staticValue = ''
  const revalidation = new Revalidation()
  let currentIcon = ''
  const detailsByBin = new Map<string, unknown>()
  let bin = ''
  let offered: readonly string[] = []
  let network: string | undefined

  const fields: readonly InputField[] = fieldsByType[type].map(createField)
  const number = fields.find(({ part }) => part === 'number')
  const getDigits = () => (number ? toDigits(number.box.text()) : '')
  function getBrand() {
    if (!number?.revealed) return number && matchBrands(getDigits(), settings.cardTypes).brand
    return isCard(number) ? matchBrands(getDigits(), defaultCardTypes).brand : undefined
  }
  /** SECURITY: if a revealed value is not a card number, the page gets no information about it. */
  function isCard({ revealed, box }: InputField): boolean {
    return !revealed || createNumberRule(defaultCardTypes, false).validate(box.text()).problem === null
  }

  function getCodeType() {
    if (type === 'card') return getBrand()
    return settings.cardTypes.find((each) => each.type === settings.options.cardBrand)
  }

  function createRule({ part, revealed }: InputField): FieldRule {
    const { options, cardTypes, mask, validation } = settings
    if (revealed) {
      const skipsLuhn = options.skipLuhnValidation === true
      return createRevealedRule(part, { mask, isSpaced: options.showSpacing === true, skipsLuhn })
    }
    if (part === 'number') return createNumberRule(cardTypes, options.skipLuhnValidation === true)
    if (part === 'code') return createCodeRule(getCodeType()?.code.size)
    if (part === 'text') return createTextRule(mask, validation, getMaxLength())
    const { maxElapsedExpirationYear: yearsOption } = options
    const maxYears = typeof yearsOption === 'number' && yearsOption >= 0 ? yearsOption : DEFAULT_MAX_YEARS
    return createExpiryRule(new Date(), maxYears, options.showSpacing === true)
  }

  function getMaxLength(): number | undefined {
    const { maxLength: limit } = settings.options
    return Number.isSafeInteger(limit) && Number(limit) >= 0 ? limit : undefined
  }

  function validateField(field: InputField): ValidationResult {
    const { part, box } = field
    const result = createRule(field).validate(box.text())
    const open = part === 'number' && result.problem === null && offered.length > 0 && !network
    return open ? { ...result, valid: false, problem: 'incomplete' } : result
  }

  function createField(part: FieldName): InputField {
    const targetId = type === 'card' ? cardTargets[part] : (settings.options.targetId ?? '')
    const row = document.createElement('div')
    row.className = `row ${part}`
    const note = document.createElement('span')
    note.className = 'note'
    note.id = `${part}-note`
    const box = createInputBox({
      getRule: () => createRule(field),
      onEdit: (edit) => handleEdit(field, edit),
      onFocus: () => emitEvent({ type: 'focus', targetId }),
      onBlur: () => handleBlur(field),
      onKeyDown: ({ key, altKey, ctrlKey, shiftKey, metaKey }) => {
        if (key !== 'Escape' && key !== 'Enter') return
        emitEvent({ type: 'keydown', targetId, key, altKey, ctrlKey, shiftKey, metaKey })
      },
      onBackspace: () => moveTo(fields[fields.indexOf(field) - 1]),
    })
    const copy =
      enableCopy === true
        ? createCopyIcon(
            `Copy ${getFieldTexts(part, settings.options, undefined).label}`,
            () => getTextToCopy(field),
            () => emitEvent({ type: 'copy', targetId }),
          )
        : undefined
    const field: InputField = {
      part,
      targetId,
      box,
      row,
      note,
      copy,
      visited: false,
      visibleProblem: null,
      revealed: false,
    }
    box.input.id = part
    row.append(box.input, note)
    if (part === 'number') row.append(picker)
    if (copy) row.append(copy.button)
    container.append(row)
    return field
  }

  function getTextToCopy({ part, box }: InputField): string {
    return part === 'number' ? toDigits(box.text()) : box.text()
  }

  function moveTo(field: InputField | undefined): void {
    if (!field) return
    const { input } = field.box
    input.focus()
    input.setSelectionRange(input.value.length, input.value.length)
  }

  function handleEdit(field: InputField, { deleting, atEnd, replaced }: InputEdit): void {
    if (field.revealed && replaced) {
      field.revealed = false
      field.box.writeText(field.box.text())
      field.box.clearHistory()
    }
    refreshState(true)
    const next = fields[fields.indexOf(field) + 1]
    // Browsers also fill in inputs that do not have the focus.
    const isIn = document.hasFocus() && document.activeElement === field.box.input
    if (!next || !isIn || !atEnd || deleting) return
    if (createRule(field).validate(field.box.text()).problem === null) moveTo(next)
  }

  function handleBlur(field: InputField): void {
    field.visited = true
    refreshState(false, [field])
    const { complete, valid, maskSatisfied, empty, errors } = buildPayload()
    const { targetId } = field
    emitEvent({ type: 'blur', targetId, empty, complete, valid, maskSatisfied, ...(errors && { errors }) })
  }

  /**
   * The error that an input shows. It appears when the input is left, and disappears as soon as it is
   * corrected.
   */
  function getVisibleProblem(
    field: InputField,
    { problem }: ValidationResult,
    isChecked: boolean,
  ): FieldProblem | null {
    if (field.box.text() === '' && !field.visited) return null
    return isChecked || validateOnChange === true || problem === null
      ? problem
      : field.visibleProblem && problem
  }

  function buildPayload(): Payload {
    const results = fields.map(validateField)
    const valid = results.every((each) => each.valid)
    const maskSatisfied = results.every((each) => each.maskSatisfied)
    const complete = valid && maskSatisfied
    const errors: FieldError[] = fields.flatMap(({ targetId, visibleProblem }) =>
      visibleProblem ? [{ targetId, type: visibleProblem }] : [],
    )
    const empty = fields.every(({ box }) => box.text() === '')
    return {
      empty,
      complete,
      valid,
      maskSatisfied,
      ...(errors.length > 0 && { errors }),
      ...buildCardPayload(),
    }
  }

  function buildCardPayload(): Partial<Payload> {
    if (!number) return {}
    const binInfo = settings.options.binLookup === true ? getBinInfo() : undefined
    return {
      ...buildCardMetadata(),
      ...(binInfo && { binInfo }),
      ...(network !== undefined && { selectedNetwork: network }),
    }
  }

  /**
   * Builds the metadata of the card. SECURITY: of the card's digits, the page gets only the BIN and the last
   * four, and only once the number is complete.
   */
  function buildCardMetadata(): CardMetadata {
    const isLong = getDigits().length >= MIN_EXPOSED_DIGITS
    const isComplete =
      number !== undefined && isLong && isCard(number) && validateField(number).problem === null
    return {
      cardBrand: getBrand()?.type ?? 'unknown',
      ...(isComplete && { cardLast4: getDigits().slice(-4), cardBin: toBin(getDigits()) }),
    }
  }

  function getBinInfo(): BinInfo | undefined {
    return toBinInfo(detailsByBin.get(bin), getDigits())
  }

  /** Looks up the details of each BIN once. */
  function lookUpBin(): void {
    const { binLookup, preSelectedNetworks } = settings.options
    const now = number && isCard(number) ? getDigits().slice(0, 6) : ''
    if (bin !== now) network = undefined
    if (
      link &&
      now.length === 6 &&
      (binLookup === true || settings.coBadges.length > 0) &&
      !detailsByBin.has(now)
    ) {
      detailsByBin.set(now, undefined)
      link.lookUpBin(now).then((details) => {
        detailsByBin.set(now, details)
        refreshState(false)
      })
    }
    const isNew = bin !== now
    bin = now
    const networks = listNetworks(getBinInfo(), settings.coBadges)
    if (!isNew && String(networks) === String(offered)) return
    offered = networks
    const wished: readonly unknown[] = Array.isArray(preSelectedNetworks) ? preSelectedNetworks : []
    network = offered.find((each) => each === network) ?? offered.find((each) => wished.includes(each))
    picker.replaceChildren(new Option('Network…', ''), ...offered.map((each) => new Option(each, each)))
    picker.value = network ?? ''
    picker.hidden = offered.length === 0
  }

  picker.addEventListener('change', () => {
    network = picker.value === '' ? undefined : picker.value
    refreshState(false, number ? [number] : [])
  })

  /** Validates all inputs, updates the display, and posts what changed to the page. */
  function refreshState(isValueChanged: boolean, checked: readonly InputField[] = []): void {
    if (number) lookUpBin()
    for (const field of fields) {
      const result = validateField(field)
      field.visibleProblem = getVisibleProblem(field, result, checked.includes(field))
      showState(field, result)
    }
    const now = buildPayload()
    const text = JSON.stringify(now)
    const differs = text !== last
    last = text
    lastPayload = now
    if (isValueChanged && following) sendNow()
    if (!ready) return
    if (differs) postState()
    if (differs || (isValueChanged && validateOnChange === true)) emitEvent({ type: 'change', ...now })
  }

  function postState(): void {
    const { complete, valid, maskSatisfied, empty, errors } = lastPayload ?? buildPayload()
    post({
      kind: 'state',
      metadata: { complete, valid, maskSatisfied, empty, errors },
      ...(hasNumber && { cardMetadata: buildCardMetadata() }),
    })
  }

  function showState(
    { box: { input, text }, visibleProblem, note, part }: InputField,
    { problem, maskSatisfied }: ValidationResult,
  ): void {
    const isEmpty = text() === ''
    input.classList.toggle('empty', isEmpty)
    input.classList.toggle('complete', !isEmpty && problem === null && maskSatisfied)
    input.classList.toggle('invalid', visibleProblem !== null)
    input.setAttribute('aria-invalid', String(visibleProblem !== null))
    if (visibleProblem) input.setAttribute('aria-describedby', note.id)
    else input.removeAttribute('aria-describedby')
    note.textContent = visibleProblem ? `${input.getAttribute('aria-label')} is ${visibleProblem}` : ''
    if (part === 'number') showIcon()
    if (part === 'code') showTexts(part, input)
  }

  function showTexts(part: FieldName, input: HTMLInputElement): void {
    const { label, placeholder, autoComplete } = getFieldTexts(
      part,
      settings.options,
      getCodeType()?.code.name,
    )
    input.setAttribute('aria-label', label)
    input.placeholder = placeholder
    input.setAttribute('autocomplete', autoComplete)
  }

  function showIcon(): void {
    const { iconPosition } = settings.options
    const cardBrand = getBrand()
    const nextIcon = iconPosition === 'none' ? '' : `${cardBrand?.type} ${iconPosition}`
    if (!number || currentIcon === nextIcon) return
    currentIcon = nextIcon
    number.row.querySelector('.icon')?.remove()
    if (nextIcon === '') return
    const icon = createBrandIcon(cardBrand?.type ?? '', cardBrand?.niceType ?? '')
    if (iconPosition === 'right') number.box.input.after(icon)
    else number.row.prepend(icon)
  }

  function applyOptions(): void {
    const { options } = settings
    for (const { part, box, copy } of fields) {
      const { input } = box
      input.type = part === 'text' && options.password === true ? 'password' : 'text'
      input.inputMode = getInputMode(options.inputMode, part !== 'text')
      input.disabled = options.disabled === true
      input.readOnly = options.readOnly === true
      if (part === 'text' && !settings.mask && getMaxLength() !== undefined)
        input.maxLength = getMaxLength() ?? 0
      else input.removeAttribute('maxlength')
      showTexts(part, input)
      copy?.restyle(options.copyIconStyles)
      box.writeText(box.text())
    }
    picker.disabled = options.disabled === true
    setStyle(options.style)
    const serialized = JSON.stringify(options.value)
    if (serialized !== undefined && serialized !== staticValue)
      writeTexts(toFieldTexts(fieldsByType[type], options.value), false)
    staticValue = serialized ?? ''
  }

  function writeTexts(texts: { readonly [part in FieldName]?: string }, revealed: boolean): void {
    sets++
    for (const field of fields) {
      const { box, part } = field
      const text = texts[part]
      if (text === undefined) continue
      const wasRevealed = field.revealed
      field.revealed = revealed
      box.writeText(text)
      if (box.text() === '') field.revealed = false
      // SECURITY: undo must not bring back a revealed value as if it had been typed.
      if (wasRevealed || revealed) box.clearHistory()
    }
  }

  async function setValue(value: Extract<ToElement, { kind: 'set' }>): Promise<void> {
    if (!link) return
    const turn = ++sets
    const resolvedValue = await resolveReferences(value.value, link.resolve)
    // The input was set again in the meantime, so the newer value stays.
    if (turn !== sets) return
    const texts = toFieldTexts(fieldsByType[type], resolvedValue)
    writeTexts(texts, true)
    if (value.validate) for (const field of fields) field.visited = true
    // SECURITY: report a change even if the text is unchanged, so that the page cannot compare it with a
    // text that it knows.
    refreshState(Object.keys(texts).length > 0, value.validate ? fields : [])
  }

  function clearFields(): void {
    sets++
    const isChanged = fields.map(({ box }) => box.writeText('')).includes(true)
    for (const field of fields) {
      field.visited = false
      field.visibleProblem = null
      field.revealed = false
      field.box.clearHistory()
    }
    refreshState(isChanged)
  }

  function readValue(method: string | undefined, format: string | undefined): FieldValue {
    return { ...computeValue(method, format), revealed: fields.some(({ revealed }) => revealed) }
  }

  function computeValue(method: string | undefined, format: string | undefined): FieldValue {
    const results = fields.map((field) => {
      const text = field.box.text()
      return {
        part: field.part,
        text,
        problem: text === '' ? ('incomplete' as const) : validateField(field).problem,
      }
    })
    if (type === 'card') return readCard(results)
    const [only] = results
    if (!only || only.problem) return { problem: only?.problem ?? 'incomplete' }
    if (type === 'cardExpirationDate') return readExpiry(only.text, method, format)
    if (type === 'cardNumber') return { problem: null, value: toDigits(only.text) }
    const { transform } = settings
    const value = transform ? transform.pattern.replace(only.text, transform.replacement) : only.text
    return value === undefined ? { problem: 'invalid' } : { problem: null, value }
  }

  function sendNow(): void {
    const [field] = fields
    if (field && type !== 'card') link?.sendValue({ type, text: getTextToCopy(field) })
  }

  function updateOptions({ call, options }: { call: number; options: ElementOptions }): void {
    try {
      const next = updateSettings(type, settings, options)
      if (fields.some(({ box, revealed }) => !revealed && box.text() !== ''))
        revalidation.checkChange(settings, next)
      settings = next
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      post({ kind: 'updated', call, error: error.toPlainError() })
      return
    }
    const before = fields.map(({ box, revealed }) => ({ text: box.text(), wasRevealed: revealed }))
    applyOptions()
    refreshState(
      fields.some(({ box, revealed }, at) => {
        const { text, wasRevealed } = before[at] ?? {}
        return revealed !== wasRevealed || box.text() !== text
      }),
    )
    post({ kind: 'updated', call })
  }

  function runCommand(command: 'clear' | 'focus' | 'blur' | 'validate'): void {
    if (command === 'clear') clearFields()
    else if (command === 'focus') moveTo(fields[0])
    else if (command === 'blur') for (const { box } of fields) box.input.blur()
    else {
      for (const field of fields) field.visited = true
      refreshState(false, fields)
    }
  }

  const link: DataFrameLink | undefined = joinDataFrame(started, {
    readValue,
    onFollow() {
      following = true
      sendNow()
    },
    onMirrorValue(value) {
      const { type: source, text } = Object(value) as { type?: unknown; text?: unknown }
      const [part] = fieldsByType[type]
      if (source !== type || !part || typeof text !== 'string') return
      writeTexts({ [part]: text }, true)
      refreshState(true)
    },
  })
  if (!link)
    throw new ConfigurationError(
      'The hidden iframe of Elements is missing from the page. Reload the page, and do not remove the iframe.',
    )

  port.onmessage = ({ data }: MessageEvent<ToElement>) => {
    if (data.kind === 'update') updateOptions(data)
    else if (data.kind === 'do') runCommand(data.command)
    else if (data.kind === 'set') void setValue(data)
    else if (data.kind === 'mirror') link.mirror(data.source)
  }

  document.body.append(container)
  // Create the inputs without the static value and set it afterwards, so that the page gets a change event
  // for it.
  const { value, ...withoutValue } = settings.options
  settings = { ...settings, options: withoutValue }
  applyOptions()
  refreshState(false)
  const initial = last
  settings = { ...settings, options: { ...withoutValue, value } }
  applyOptions()
  refreshState(false)
  postState()
  new ResizeObserver(() =>
    post({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) }),
  ).observe(container)
  post({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) })
  post({ kind: 'mounted' })
  ready = true
  emitEvent({ type: 'ready' })
  if (last !== initial) emitEvent({ type: 'change', ...buildPayload() })
}

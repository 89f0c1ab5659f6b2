import type {
  BinInfo,
  CardMetadata,
  ElementEvent,
  FieldError,
  FromElement,
  Metadata,
  Options,
  StartedElement,
  ToElement,
} from '../protocol.ts'
import { brandsOf } from './cards/brand.ts'
import { codeRule } from './cards/code.ts'
import { expiryRule } from './cards/expiry.ts'
import { binInfoOf, networksOf } from './cards/networks.ts'
import { binOf, numberRule } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { digitsOf, type Judged, type Problem, type Rule } from './field.ts'
import { joinDataFrame, type Link } from './link.ts'
import { cardTargets, type InputType, type PartName, partsOf, wordsOf } from './part.ts'
import { Rejudging } from './rejudging.ts'
import { revealedRule } from './revealed.ts'
import { ConfigurationProblem, inputModeOf, type Settings, settingsOf, updatedSettings } from './settings.ts'
import { textRule } from './text/rule.ts'
import { type Read, readCard, readExpiry, resolved, textsOf } from './values.ts'
import { brandIcon } from './view/brand-icon.ts'
import { type CopyIcon, copyIcon } from './view/copy.ts'
import { type Box, inputBox, type Typed } from './view/input.ts'
import { styleFrame } from './view/sheet.ts'

type Field = {
  part: PartName
  targetId: string
  box: Box
  row: HTMLElement
  note: HTMLElement
  copy: CopyIcon | undefined
  /** Left, or validated: an empty input may be wrong from now on. */
  visited: boolean
  shown: Problem | null
  /** Shows a value that was set by reference or mirrored, or what is left of it. */
  revealed: boolean
}

type Payload = Metadata & Partial<CardMetadata> & { binInfo?: BinInfo; selectedNetwork?: string }

const usualMostYears = 19
/** A shorter one would be told in full, by its first and last digits. */
const fewestToldDigits = 12

/** Becomes an element with inputs. Throws a ConfigurationProblem before anything is shown. */
export function startInputs(started: StartedElement & { type: InputType }): void {
  const { type, port } = started
  let settings: Settings = settingsOf(type, started.options)
  const { validateOnChange = false, enableCopy = false } = settings.options
  const hasNumber = type === 'card' || type === 'cardNumber'

  const tell = (message: FromElement) => port.postMessage(message)
  const emit = (event: ElementEvent) => tell({ kind: 'event', event })

  const container = document.createElement('div')
  container.className = type === 'card' ? 'container card' : 'container'
  const picker = document.createElement('select')
  picker.className = 'networks'
  picker.setAttribute('aria-label', 'Card network')
  picker.hidden = true
  const setStyle = styleFrame(false)

  let last = ''
  let told: Payload | undefined
  let ready = false
  let following = false
  let sets = 0
  let staticValue = ''
  const rejudging = new Rejudging()
  let iconShown = ''
  const lookedUp = new Map<string, unknown>()
  let bin = ''
  let offered: readonly string[] = []
  let network: string | undefined

  const fields: readonly Field[] = partsOf[type].map(fieldOf)
  const number = fields.find(({ part }) => part === 'number')
  const digits = () => (number ? digitsOf(number.box.text()) : '')
  function brand() {
    if (!number?.revealed) return number && brandsOf(digits(), settings.cardTypes).brand
    return isCard(number) ? brandsOf(digits(), defaultCardTypes).brand : undefined
  }
  /** SECURITY: of a revealed text that is no card number, the page is told nothing. */
  function isCard({ revealed, box }: Field): boolean {
    return !revealed || numberRule(defaultCardTypes, false).judge(box.text()).problem === null
  }

  function codeType() {
    if (type === 'card') return brand()
    return settings.cardTypes.find((each) => each.type === settings.options.cardBrand)
  }

  function ruleOf({ part, revealed }: Field): Rule {
    const { options, cardTypes, mask, validation } = settings
    if (revealed) {
      const skipsLuhn = options.skipLuhnValidation === true
      return revealedRule(part, { mask, isSpaced: options.showSpacing === true, skipsLuhn })
    }
    if (part === 'number') return numberRule(cardTypes, options.skipLuhnValidation === true)
    if (part === 'code') return codeRule(codeType()?.code.size)
    if (part === 'text') return textRule(mask, validation, maxLength())
    const { maxElapsedExpirationYear: most } = options
    const mostYears = typeof most === 'number' && most >= 0 ? most : usualMostYears
    return expiryRule(new Date(), mostYears, options.showSpacing === true)
  }

  function maxLength(): number | undefined {
    const { maxLength: most } = settings.options
    return Number.isSafeInteger(most) && Number(most) >= 0 ? most : undefined
  }

  function judge(field: Field): Judged {
    const { part, box } = field
    const found = ruleOf(field).judge(box.text())
    const open = part === 'number' && found.problem === null && offered.length > 0 && !network
    return open ? { ...found, valid: false, problem: 'incomplete' } : found
  }

  function fieldOf(part: PartName): Field {
    const targetId = type === 'card' ? cardTargets[part] : (settings.options.targetId ?? '')
    const row = document.createElement('div')
    row.className = `row ${part}`
    const note = document.createElement('span')
    note.className = 'note'
    note.id = `${part}-note`
    const box = inputBox({
      rule: () => ruleOf(field),
      edited: (typed) => edited(field, typed),
      focused: () => emit({ type: 'focus', targetId }),
      left: () => left(field),
      key: ({ key, altKey, ctrlKey, shiftKey, metaKey }) => {
        if (key !== 'Escape' && key !== 'Enter') return
        emit({ type: 'keydown', targetId, key, altKey, ctrlKey, shiftKey, metaKey })
      },
      back: () => moveTo(fields[fields.indexOf(field) - 1]),
    })
    const copy =
      enableCopy === true
        ? copyIcon(
            `Copy ${wordsOf(part, settings.options, undefined).label}`,
            () => textToCopy(field),
            () => emit({ type: 'copy', targetId }),
          )
        : undefined
    const field: Field = {
      part,
      targetId,
      box,
      row,
      note,
      copy,
      visited: false,
      shown: null,
      revealed: false,
    }
    box.input.id = part
    row.append(box.input, note)
    if (part === 'number') row.append(picker)
    if (copy) row.append(copy.button)
    container.append(row)
    return field
  }

  function textToCopy({ part, box }: Field): string {
    return part === 'number' ? digitsOf(box.text()) : box.text()
  }

  function moveTo(field: Field | undefined): void {
    if (!field) return
    const { input } = field.box
    input.focus()
    input.setSelectionRange(input.value.length, input.value.length)
  }

  function edited(field: Field, { deleting, atEnd, replaced }: Typed): void {
    if (field.revealed && replaced) {
      field.revealed = false
      field.box.write(field.box.text())
      field.box.forget()
    }
    settle(true)
    const next = fields[fields.indexOf(field) + 1]
    // A browser also fills in what the person is not in.
    const isIn = document.hasFocus() && document.activeElement === field.box.input
    if (!next || !isIn || !atEnd || deleting) return
    if (ruleOf(field).judge(field.box.text()).problem === null) moveTo(next)
  }

  function left(field: Field): void {
    field.visited = true
    settle(false, [field])
    const { complete, valid, maskSatisfied, empty, errors } = payload()
    const { targetId } = field
    emit({ type: 'blur', targetId, empty, complete, valid, maskSatisfied, ...(errors && { errors }) })
  }

  /** Which problem an input shows: found when it is left, and taken back as soon as it is mended. */
  function shownProblem(field: Field, { problem }: Judged, isChecked: boolean): Problem | null {
    if (field.box.text() === '' && !field.visited) return null
    return isChecked || validateOnChange === true || problem === null ? problem : field.shown && problem
  }

  function payload(): Payload {
    const judged = fields.map(judge)
    const valid = judged.every((each) => each.valid)
    const maskSatisfied = judged.every((each) => each.maskSatisfied)
    const complete = valid && maskSatisfied
    const errors: FieldError[] = fields.flatMap(({ targetId, shown }) =>
      shown ? [{ targetId, type: shown }] : [],
    )
    const empty = fields.every(({ box }) => box.text() === '')
    return { empty, complete, valid, maskSatisfied, ...(errors.length > 0 && { errors }), ...cardPayload() }
  }

  function cardPayload(): Partial<Payload> {
    if (!number) return {}
    const binInfo = settings.options.binLookup === true ? info() : undefined
    return {
      ...cardMetadata(),
      ...(binInfo && { binInfo }),
      ...(network !== undefined && { selectedNetwork: network }),
    }
  }

  /** SECURITY: of the number, the page is told these alone, once it is complete. */
  function cardMetadata(): CardMetadata {
    const isLong = digits().length >= fewestToldDigits
    const isComplete = number !== undefined && isLong && isCard(number) && judge(number).problem === null
    return {
      cardBrand: brand()?.type ?? 'unknown',
      ...(isComplete && { cardLast4: digits().slice(-4), cardBin: binOf(digits()) }),
    }
  }

  function info(): BinInfo | undefined {
    return binInfoOf(lookedUp.get(bin), digits())
  }

  /** Asks once for each first six digits what is known of them. */
  function lookUp(): void {
    const { binLookup, preSelectedNetworks } = settings.options
    const now = number && isCard(number) ? digits().slice(0, 6) : ''
    if (bin !== now) network = undefined
    if (
      link &&
      now.length === 6 &&
      (binLookup === true || settings.coBadges.length > 0) &&
      !lookedUp.has(now)
    ) {
      lookedUp.set(now, undefined)
      link.bin(now).then((details) => {
        lookedUp.set(now, details)
        settle(false)
      })
    }
    const isNew = bin !== now
    bin = now
    const networks = networksOf(info(), settings.coBadges)
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
    settle(false, number ? [number] : [])
  })

  /** Brings everything in line with the texts, and tells the page of what is different. */
  function settle(isValueChanged: boolean, checked: readonly Field[] = []): void {
    if (number) lookUp()
    for (const field of fields) {
      const judged = judge(field)
      field.shown = shownProblem(field, judged, checked.includes(field))
      showState(field, judged)
    }
    const now = payload()
    const text = JSON.stringify(now)
    const differs = text !== last
    last = text
    told = now
    if (isValueChanged && following) sendNow()
    if (!ready) return
    if (differs) tellState()
    if (differs || (isValueChanged && validateOnChange === true)) emit({ type: 'change', ...now })
  }

  function tellState(): void {
    const { complete, valid, maskSatisfied, empty, errors } = told ?? payload()
    tell({
      kind: 'state',
      metadata: { complete, valid, maskSatisfied, empty, errors },
      ...(hasNumber && { cardMetadata: cardMetadata() }),
    })
  }

  function showState(
    { box: { input, text }, shown, note, part }: Field,
    { problem, maskSatisfied }: Judged,
  ): void {
    const isEmpty = text() === ''
    input.classList.toggle('empty', isEmpty)
    input.classList.toggle('complete', !isEmpty && problem === null && maskSatisfied)
    input.classList.toggle('invalid', shown !== null)
    input.setAttribute('aria-invalid', String(shown !== null))
    if (shown) input.setAttribute('aria-describedby', note.id)
    else input.removeAttribute('aria-describedby')
    note.textContent = shown ? `${input.getAttribute('aria-label')} is ${shown}` : ''
    if (part === 'number') showIcon()
    if (part === 'code') showWords(part, input)
  }

  function showWords(part: PartName, input: HTMLInputElement): void {
    const { label, placeholder, autoComplete } = wordsOf(part, settings.options, codeType()?.code.name)
    input.setAttribute('aria-label', label)
    input.placeholder = placeholder
    input.setAttribute('autocomplete', autoComplete)
  }

  function showIcon(): void {
    const { iconPosition } = settings.options
    const found = brand()
    const wanted = iconPosition === 'none' ? '' : `${found?.type} ${iconPosition}`
    if (!number || iconShown === wanted) return
    iconShown = wanted
    number.row.querySelector('.icon')?.remove()
    if (wanted === '') return
    const icon = brandIcon(found?.type ?? '', found?.niceType ?? '')
    if (iconPosition === 'right') number.box.input.after(icon)
    else number.row.prepend(icon)
  }

  function applyOptions(): void {
    const { options } = settings
    for (const { part, box, copy } of fields) {
      const { input } = box
      input.type = part === 'text' && options.password === true ? 'password' : 'text'
      input.inputMode = inputModeOf(options.inputMode, part !== 'text')
      input.disabled = options.disabled === true
      input.readOnly = options.readOnly === true
      if (part === 'text' && !settings.mask && maxLength() !== undefined) input.maxLength = maxLength() ?? 0
      else input.removeAttribute('maxlength')
      showWords(part, input)
      copy?.restyle(options.copyIconStyles)
      box.write(box.text())
    }
    picker.disabled = options.disabled === true
    setStyle(options.style)
    const given = JSON.stringify(options.value)
    if (given !== undefined && given !== staticValue) write(textsOf(partsOf[type], options.value), false)
    staticValue = given ?? ''
  }

  function write(texts: { readonly [part in PartName]?: string }, revealed: boolean): void {
    sets++
    for (const field of fields) {
      const { box, part } = field
      const text = texts[part]
      if (text === undefined) continue
      const wasRevealed = field.revealed
      field.revealed = revealed
      box.write(text)
      if (box.text() === '') field.revealed = false
      // SECURITY: nothing that was revealed comes back as if it had been typed.
      if (wasRevealed || revealed) box.forget()
    }
  }

  async function set(value: Extract<ToElement, { kind: 'set' }>): Promise<void> {
    if (!link) return
    const turn = ++sets
    const found = await resolved(value.value, link.resolve)
    // Later texts have come in the meantime.
    if (turn !== sets) return
    const texts = textsOf(partsOf[type], found)
    write(texts, true)
    if (value.validate) for (const field of fields) field.visited = true
    // SECURITY: also where the text is the same, so that a page cannot compare it with one that it knows.
    settle(Object.keys(texts).length > 0, value.validate ? fields : [])
  }

  function clear(): void {
    sets++
    const isChanged = fields.map(({ box }) => box.write('')).includes(true)
    for (const field of fields) {
      field.visited = false
      field.shown = null
      field.revealed = false
      field.box.forget()
    }
    settle(isChanged)
  }

  function read(method: string | undefined, format: string | undefined): Read {
    return { ...valueFor(method, format), revealed: fields.some(({ revealed }) => revealed) }
  }

  function valueFor(method: string | undefined, format: string | undefined): Read {
    const judged = fields.map((field) => {
      const text = field.box.text()
      return { part: field.part, text, problem: text === '' ? ('incomplete' as const) : judge(field).problem }
    })
    if (type === 'card') return readCard(judged)
    const [only] = judged
    if (!only || only.problem) return { problem: only?.problem ?? 'incomplete' }
    if (type === 'cardExpirationDate') return readExpiry(only.text, method, format)
    if (type === 'cardNumber') return { problem: null, value: digitsOf(only.text) }
    const { transform } = settings
    const value = transform ? transform.pattern.replace(only.text, transform.replacement) : only.text
    return value === undefined ? { problem: 'invalid' } : { problem: null, value }
  }

  function sendNow(): void {
    const [field] = fields
    if (field && type !== 'card') link?.now({ type, text: textToCopy(field) })
  }

  function update({ call, options }: { call: number; options: Options }): void {
    try {
      const next = updatedSettings(type, settings, options)
      if (fields.some(({ box, revealed }) => !revealed && box.text() !== '')) rejudging.allow(settings, next)
      settings = next
    } catch (error) {
      if (!(error instanceof ConfigurationProblem)) throw error
      tell({ kind: 'updated', call, error: error.plain() })
      return
    }
    const before = fields.map(({ box, revealed }) => ({ text: box.text(), wasRevealed: revealed }))
    applyOptions()
    settle(
      fields.some(({ box, revealed }, at) => {
        const { text, wasRevealed } = before[at] ?? {}
        return revealed !== wasRevealed || box.text() !== text
      }),
    )
    tell({ kind: 'updated', call })
  }

  function obey(command: 'clear' | 'focus' | 'blur' | 'validate'): void {
    if (command === 'clear') clear()
    else if (command === 'focus') moveTo(fields[0])
    else if (command === 'blur') for (const { box } of fields) box.input.blur()
    else {
      for (const field of fields) field.visited = true
      settle(false, fields)
    }
  }

  const link: Link | undefined = joinDataFrame(started, {
    read,
    follow() {
      following = true
      sendNow()
    },
    mirrored(value) {
      const { type: source, text } = Object(value) as { type?: unknown; text?: unknown }
      const [part] = partsOf[type]
      if (source !== type || !part || typeof text !== 'string') return
      write({ [part]: text }, true)
      settle(true)
    },
  })
  if (!link) throw new ConfigurationProblem('The data frame of Elements is not in the page.')

  port.onmessage = ({ data }: MessageEvent<ToElement>) => {
    if (data.kind === 'update') update(data)
    else if (data.kind === 'do') obey(data.command)
    else if (data.kind === 'set') void set(data)
    else if (data.kind === 'mirror') link.mirror(data.source)
  }

  document.body.append(container)
  // An element without its static value: what is different from it is told as a change.
  const { value, ...withoutValue } = settings.options
  settings = { ...settings, options: withoutValue }
  applyOptions()
  settle(false)
  const initial = last
  settings = { ...settings, options: { ...withoutValue, value } }
  applyOptions()
  settle(false)
  tellState()
  new ResizeObserver(() =>
    tell({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) }),
  ).observe(container)
  tell({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) })
  tell({ kind: 'mounted' })
  ready = true
  emit({ type: 'ready' })
  if (last !== initial) emit({ type: 'change', ...payload() })
}

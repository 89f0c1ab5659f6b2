import type { BinInfo, CardMetadata, CardType } from '../protocol.ts'
import { matchBrands } from './cards/brand.ts'
import { listNetworks, toBinInfo } from './cards/networks.ts'
import { createNumberRule, toBin } from './cards/number.ts'
import { defaultCardTypes } from './cards/types.ts'
import { toDigits, type ValidationResult } from './field.ts'
import type { InputField } from './input-field.ts'
import type { ElementSettings } from './settings.ts'
import { createBrandIcon } from './view/brand-icon.ts'

/** The minimum length of a number whose first and last digits the page gets: they reveal most of a shorter one. */
const MIN_EXPOSED_DIGITS = 12

type CardNumberDeps = {
  getSettings(): ElementSettings
  lookUpBin(bin: string): Promise<unknown>
  onDetails(): void
  onNetwork(): void
}

/** What is known of the number in an element: its brand, the details of its BIN, and its networks. */
export class CardNumber {
  readonly field: InputField
  readonly #deps: CardNumberDeps
  readonly #picker = document.createElement('select')
  readonly #detailsByBin = new Map<string, unknown>()
  #bin = ''
  #networks: readonly string[] = []
  #network: string | undefined
  #icon = ''

  constructor(field: InputField, deps: CardNumberDeps) {
    this.field = field
    this.#deps = deps
    this.#picker.className = 'networks'
    this.#picker.setAttribute('aria-label', 'Card network')
    this.#picker.hidden = true
    this.#picker.addEventListener('change', () => {
      this.#network = this.#picker.value === '' ? undefined : this.#picker.value
      deps.onNetwork()
    })
    field.note.after(this.#picker)
  }

  getBrand(): CardType | undefined {
    if (!this.field.revealed) return matchBrands(this.#getDigits(), this.#deps.getSettings().cardTypes).brand
    return this.#isCard() ? matchBrands(this.#getDigits(), defaultCardTypes).brand : undefined
  }

  validateNumber(): ValidationResult {
    const result = this.field.validateText()
    const isOpen = result.problem === null && this.#networks.length > 0 && !this.#network
    return isOpen ? { ...result, valid: false, problem: 'incomplete' } : result
  }

  buildPayload(): CardMetadata & { binInfo?: BinInfo; selectedNetwork?: string } {
    const binInfo = this.#deps.getSettings().options.binLookup === true ? this.#getBinInfo() : undefined
    return {
      ...this.buildMetadata(),
      ...(binInfo && { binInfo }),
      ...(this.#network !== undefined && { selectedNetwork: this.#network }),
    }
  }

  /**
   * Builds the metadata of the card. SECURITY: of the card's digits, the page gets only the BIN and the last
   * four, and only once the number is complete.
   */
  buildMetadata(): CardMetadata {
    const digits = this.#getDigits()
    const isComplete =
      digits.length >= MIN_EXPOSED_DIGITS && this.#isCard() && this.validateNumber().problem === null
    return {
      cardBrand: this.getBrand()?.type ?? 'unknown',
      ...(isComplete && { cardLast4: digits.slice(-4), cardBin: toBin(digits) }),
    }
  }

  /** Looks up the details of each BIN once, and offers the networks of the present one. */
  lookUpBin(): void {
    const { options, coBadges } = this.#deps.getSettings()
    const bin = this.#isCard() ? this.#getDigits().slice(0, 6) : ''
    const isNew = bin !== this.#bin
    if (isNew) this.#network = undefined
    this.#bin = bin
    const isWanted = options.binLookup === true || coBadges.length > 0
    if (isWanted && bin.length === 6 && !this.#detailsByBin.has(bin)) void this.#fetchDetails(bin)
    const networks = listNetworks(this.#getBinInfo(), coBadges)
    if (isNew || String(networks) !== String(this.#networks)) this.#offerNetworks(networks)
  }

  showIcon(): void {
    const { iconPosition } = this.#deps.getSettings().options
    const brand = this.getBrand()
    const icon = iconPosition === 'none' ? '' : `${brand?.type} ${iconPosition}`
    if (this.#icon === icon) return
    this.#icon = icon
    const { row, box } = this.field
    row.querySelector('.icon')?.remove()
    if (icon === '') return
    const svg = createBrandIcon(brand?.type ?? '', brand?.niceType ?? '')
    if (iconPosition === 'right') box.input.after(svg)
    else row.prepend(svg)
  }

  disablePicker(isDisabled: boolean): void {
    this.#picker.disabled = isDisabled
  }

  #getDigits(): string {
    return toDigits(this.field.box.text())
  }

  /** SECURITY: if a revealed value is not a card number, the page gets no information about it. */
  #isCard(): boolean {
    const { revealed, box } = this.field
    return !revealed || createNumberRule(defaultCardTypes, false).validate(box.text()).problem === null
  }

  #getBinInfo(): BinInfo | undefined {
    return toBinInfo(this.#detailsByBin.get(this.#bin), this.#getDigits())
  }

  async #fetchDetails(bin: string): Promise<void> {
    this.#detailsByBin.set(bin, undefined)
    this.#detailsByBin.set(bin, await this.#deps.lookUpBin(bin))
    this.#deps.onDetails()
  }

  #offerNetworks(networks: readonly string[]): void {
    const { preSelectedNetworks } = this.#deps.getSettings().options
    const wished: readonly unknown[] = Array.isArray(preSelectedNetworks) ? preSelectedNetworks : []
    this.#networks = networks
    this.#network =
      networks.find((each) => each === this.#network) ?? networks.find((each) => wished.includes(each))
    this.#picker.replaceChildren(
      new Option('Network…', ''),
      ...networks.map((each) => new Option(each, each)),
    )
    this.#picker.value = this.#network ?? ''
    this.#picker.hidden = networks.length === 0
  }
}

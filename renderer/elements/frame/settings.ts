import { PatternError } from '../../../shared/patterns/parse.ts'
import { creationOnly } from '../creation-only.ts'
import type { CardType, ElementOptions, ElementType, InputMode, PlainError } from '../protocol.ts'
import { defaultCardTypes } from './cards/types.ts'
import { createSafePattern, type SafePattern } from './patterns/pattern.ts'
import type { Mask } from './text/mask.ts'
import { parseTransform, type TextTransform } from './text/transform.ts'

/** Validated options, with the compiled forms of some. */
export type ElementSettings = {
  options: ElementOptions
  cardTypes: readonly CardType[]
  coBadges: readonly string[]
  mask: Mask | undefined
  transform: TextTransform | undefined
  validation: SafePattern | undefined
}

const coBadgedNetworks = ['cartes-bancaires', 'bancontact', 'dankort']
const inputModes: readonly InputMode[] = [
  'decimal',
  'email',
  'none',
  'numeric',
  'search',
  'tel',
  'text',
  'url',
]
const MAX_MASK_LENGTH = 500
const MAX_CARD_TYPES = 100
const MAX_PATTERNS = 1000
const MAX_LIST_LENGTH = 50

export class ConfigurationError extends Error {
  toPlainError(): PlainError {
    const { message } = this
    return {
      name: 'BasisTheoryConfigurationError',
      message,
      details: { configuration: { type: 'invalid-configuration', message } },
    }
  }
}

/** Runs a function, and returns the error for the page if the options are not valid. */
export function catchConfigurationError(run: () => void): PlainError | undefined {
  try {
    run()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.toPlainError()
  }
}

function checkOption<T>(option: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PatternError) {
      throw new ConfigurationError(
        `The option ${option} has a pattern that ${error.message}, which is not safe to run.`,
      )
    }
    if (error instanceof SyntaxError) {
      throw new ConfigurationError(`The option ${option} has a pattern that is not valid with the flag u.`)
    }
    if (error instanceof TypeError) throw new ConfigurationError(`The option ${option} ${error.message}.`)
    throw error
  }
}

function isCardType(value: unknown): value is CardType {
  const { niceType, type, patterns, gaps, lengths, code } = (value ?? {}) as Partial<CardType>
  const isNumber = (each: unknown) => Number.isSafeInteger(each) && Number(each) >= 0
  const isShort = (list: readonly unknown[]) => list.length <= MAX_LIST_LENGTH
  // SECURITY: the brand must not reveal more of a number than its BIN, which the page gets anyway.
  const maxStart = Array.isArray(lengths) && lengths.every((each) => each >= 16) ? 99_999_999 : 999_999
  const isStart = (each: unknown) => isNumber(each) && Number(each) <= maxStart
  const isPattern = (each: unknown) =>
    isStart(each) || (Array.isArray(each) && each.length === 2 && each.every(isStart))
  return (
    typeof niceType === 'string' &&
    typeof type === 'string' &&
    Array.isArray(patterns) &&
    patterns.length <= MAX_PATTERNS &&
    patterns.every(isPattern) &&
    Array.isArray(gaps) &&
    isShort(gaps) &&
    gaps.every(isNumber) &&
    Array.isArray(lengths) &&
    lengths.length > 0 &&
    isShort(lengths) &&
    lengths.every((each) => isNumber(each) && each <= 50) &&
    typeof code?.name === 'string' &&
    isNumber(code.size)
  )
}

function parseCardTypes(option: unknown): readonly CardType[] {
  if (option === undefined) return defaultCardTypes
  if (!Array.isArray(option) || option.length > MAX_CARD_TYPES || !option.every(isCardType)) {
    throw new TypeError(
      `must be an array of up to ${MAX_CARD_TYPES} card types, with patterns of up to 6 digits, or 8 where all lengths are 16 or more`,
    )
  }
  if (new Set(option.map(({ type }) => type)).size < option.length)
    throw new TypeError('has a type more than once')
  return option
}

function parseCoBadges(option: unknown): readonly string[] {
  if (option === undefined) return []
  if (!Array.isArray(option) || !option.every((each) => coBadgedNetworks.includes(each))) {
    throw new TypeError(`must be an array of ${coBadgedNetworks.join(', ')}`)
  }
  return option
}

function parseMask(option: unknown): Mask | undefined {
  if (option === undefined || option === null) return undefined
  if (!Array.isArray(option) || option.length === 0 || option.length > MAX_MASK_LENGTH) {
    throw new TypeError(`must be an array of 1 to ${MAX_MASK_LENGTH} patterns and characters`)
  }
  return option.map((slot: unknown) => {
    if (slot instanceof RegExp) return createSafePattern(slot)
    if (typeof slot === 'string' && [...slot].length === 1) return slot
    throw new TypeError('must contain only patterns and single characters')
  })
}

function parseValidation(option: unknown): SafePattern | undefined {
  if (option === undefined || option === null) return undefined
  if (!(option instanceof RegExp)) throw new TypeError('must be a RegExp')
  return createSafePattern(option)
}

/**
 * Validates the options of a new element.
 *
 * @throws ConfigurationError whose message the page may see
 */
export function createSettings(type: ElementType, options: ElementOptions): ElementSettings {
  const isText = type === 'text'
  if (type !== 'card' && typeof options.targetId !== 'string') {
    throw new ConfigurationError('The option targetId must be a string.')
  }
  if (isText && options.password && options.mask) {
    throw new ConfigurationError('The options password and mask cannot be used together.')
  }
  return {
    options,
    cardTypes: checkOption('cardTypes', () => parseCardTypes(options.cardTypes)),
    coBadges: checkOption('coBadgedSupport', () => parseCoBadges(options.coBadgedSupport)),
    mask: isText ? checkOption('mask', () => parseMask(options.mask)) : undefined,
    transform: isText ? checkOption('transform', () => parseTransform(options.transform)) : undefined,
    validation: isText ? checkOption('validation', () => parseValidation(options.validation)) : undefined,
  }
}

/** The settings after an update. Options that cannot be updated are ignored; `undefined` restores the default. */
export function updateSettings(
  type: ElementType,
  { options }: ElementSettings,
  update: ElementOptions,
): ElementSettings {
  const changes = Object.entries(update).filter(
    ([key]) => !creationOnly.includes(key as keyof ElementOptions),
  )
  return createSettings(type, { ...options, ...Object.fromEntries(changes) })
}

/** Returns the keyboard type in the option, or else the default of the element. */
export function getInputMode(option: unknown, isCard: boolean): InputMode {
  return inputModes.find((mode) => mode === option) ?? (isCard ? 'numeric' : 'text')
}

import type { CardType, ElementType, InputMode, Options, PlainError } from '../protocol.ts'
import { defaultCardTypes } from './cards/types.ts'
import { PatternProblem } from './patterns/parse.ts'
import { type Pattern, safePattern } from './patterns/pattern.ts'
import type { Mask } from './text/mask.ts'
import { type Transform, transformOf } from './text/transform.ts'

/** Options that have been checked, with what they are compiled to. */
export type Settings = {
  options: Options
  cardTypes: readonly CardType[]
  coBadges: readonly string[]
  mask: Mask | undefined
  transform: Transform | undefined
  validation: Pattern | undefined
}

const fixed: readonly (keyof Options)[] = [
  'targetId',
  'validateOnChange',
  'enableCopy',
  'showSpacing',
  'mask',
]
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
const mostMask = 500
const mostCardTypes = 100
const mostPatterns = 1000
const mostInList = 50

export class ConfigurationProblem extends Error {
  /** The error as the page is told. */
  plain(): PlainError {
    const { message } = this
    return {
      name: 'BasisTheoryConfigurationError',
      message,
      details: { configuration: { type: 'invalid-configuration', message } },
    }
  }
}

function checked<T>(option: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PatternProblem) {
      throw new ConfigurationProblem(
        `The option ${option} has a pattern that ${error.message}, which is not safe to run.`,
      )
    }
    if (error instanceof SyntaxError) {
      throw new ConfigurationProblem(`The option ${option} has a pattern that is not valid with the flag u.`)
    }
    if (error instanceof TypeError) throw new ConfigurationProblem(`The option ${option} ${error.message}.`)
    throw error
  }
}

function isCardType(value: unknown): value is CardType {
  const { niceType, type, patterns, gaps, lengths, code } = (value ?? {}) as Partial<CardType>
  const isNumber = (each: unknown) => Number.isSafeInteger(each) && Number(each) >= 0
  const isShort = (list: readonly unknown[]) => list.length <= mostInList
  // SECURITY: the brand says of a number no more than its BIN does, which the page is told.
  const most = Array.isArray(lengths) && lengths.every((each) => each >= 16) ? 99_999_999 : 999_999
  const isStart = (each: unknown) => isNumber(each) && Number(each) <= most
  const isPattern = (each: unknown) =>
    isStart(each) || (Array.isArray(each) && each.length === 2 && each.every(isStart))
  return (
    typeof niceType === 'string' &&
    typeof type === 'string' &&
    Array.isArray(patterns) &&
    patterns.length <= mostPatterns &&
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

function cardTypesOf(given: unknown): readonly CardType[] {
  if (given === undefined) return defaultCardTypes
  if (!Array.isArray(given) || given.length > mostCardTypes || !given.every(isCardType)) {
    throw new TypeError(
      `must be an array of up to ${mostCardTypes} card types, with patterns of up to 6 digits, or 8 where all lengths are 16 or more`,
    )
  }
  if (new Set(given.map(({ type }) => type)).size < given.length)
    throw new TypeError('has a type more than once')
  return given
}

function coBadgesOf(given: unknown): readonly string[] {
  if (given === undefined) return []
  if (!Array.isArray(given) || !given.every((each) => coBadgedNetworks.includes(each))) {
    throw new TypeError(`must be an array of ${coBadgedNetworks.join(', ')}`)
  }
  return given
}

function maskOf(given: unknown): Mask | undefined {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given) || given.length === 0 || given.length > mostMask) {
    throw new TypeError(`must be an array of 1 to ${mostMask} patterns and characters`)
  }
  return given.map((slot: unknown) => {
    if (slot instanceof RegExp) return safePattern(slot)
    if (typeof slot === 'string' && [...slot].length === 1) return slot
    throw new TypeError('must hold patterns and single characters alone')
  })
}

function validationOf(given: unknown): Pattern | undefined {
  if (given === undefined || given === null) return undefined
  if (!(given instanceof RegExp)) throw new TypeError('must be a RegExp')
  return safePattern(given)
}

/**
 * The settings that these options ask for.
 *
 * @throws ConfigurationProblem with the message for the page
 */
export function settingsOf(type: ElementType, options: Options): Settings {
  const isText = type === 'text'
  if (type !== 'card' && typeof options.targetId !== 'string') {
    throw new ConfigurationProblem('The option targetId must be a string.')
  }
  if (isText && options.password && options.mask) {
    throw new ConfigurationProblem('The options password and mask cannot be used together.')
  }
  return {
    options,
    cardTypes: checked('cardTypes', () => cardTypesOf(options.cardTypes)),
    coBadges: checked('coBadgedSupport', () => coBadgesOf(options.coBadgedSupport)),
    mask: isText ? checked('mask', () => maskOf(options.mask)) : undefined,
    transform: isText ? checked('transform', () => transformOf(options.transform)) : undefined,
    validation: isText ? checked('validation', () => validationOf(options.validation)) : undefined,
  }
}

/** The settings after an update. Keys that cannot be updated are ignored, `undefined` returns to the default. */
export function updatedSettings(type: ElementType, { options }: Settings, update: Options): Settings {
  const changes = Object.entries(update).filter(([key]) => !fixed.includes(key as keyof Options))
  return settingsOf(type, { ...options, ...Object.fromEntries(changes) })
}

/** The keyboard that the option asks for, or else the usual one of the element. */
export function inputModeOf(given: unknown, isCard: boolean): InputMode {
  return inputModes.find((mode) => mode === given) ?? (isCard ? 'numeric' : 'text')
}

import { creationOnly } from '../creation-only.ts'
import type { ElementOptions, ElementType } from '../protocol.ts'

const common = ['targetId', 'title', 'style', 'disabled'] as const
const input = [
  'placeholder',
  'autoComplete',
  'inputMode',
  'readOnly',
  'validateOnChange',
  'value',
  'enableCopy',
  'copyIconStyles',
] as const
/** Options of elements with a single input. */
const single = [...input, 'aria-label'] as const
const number = [
  'cardTypes',
  'skipLuhnValidation',
  'iconPosition',
  'binLookup',
  'coBadgedSupport',
  'preSelectedNetworks',
] as const

type OptionName = keyof ElementOptions

const names: Readonly<Record<ElementType, readonly OptionName[]>> = {
  card: [...common, ...input, ...number, 'maxElapsedExpirationYear'],
  cardNumber: [...common, ...single, ...number],
  cardExpirationDate: [...common, ...single, 'maxElapsedExpirationYear', 'showSpacing'],
  cardVerificationCode: [...common, ...single, 'cardTypes', 'cardBrand'],
  text: [...common, ...single, 'mask', 'transform', 'validation', 'maxLength', 'password'],
  copyButton: [...common, 'text', 'id'],
}

export function isElementType(type: unknown): type is ElementType {
  return typeof type === 'string' && Object.hasOwn(names, type)
}

/** Picks the options of this element type, as data that can be posted. Throws if one holds a function. */
export function pickOptions(type: ElementType, rawOptions: unknown, isUpdate = false): ElementOptions {
  const options = (rawOptions ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    names[type]
      .filter((name) => Object.hasOwn(options, name) && !(isUpdate && creationOnly.includes(name)))
      .map((name) => [name, toPlainOption(options[name], name)]),
  )
}

function toPlainOption(value: unknown, name: string, depth = 0): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || depth > 8) {
    throw new Error(`The option ${name} must be plain data, without functions.`)
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof RegExp) return structuredClone(value)
  if (Array.isArray(value)) return value.map((each) => toPlainOption(each, name, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, toPlainOption(each, name, depth + 1)]),
  )
}

export function diffOptions(current: ElementOptions, next: ElementOptions): ElementOptions {
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => !isSame(current[name as OptionName], value)),
  )
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (one instanceof RegExp || other instanceof RegExp) return String(one) === String(other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) =>
      isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  )
}

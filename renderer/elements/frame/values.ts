import type { Reference, ReferenceTree } from '../protocol.ts'
import { type CardExpiry, parseExpiry, toExpiryText } from './cards/expiry.ts'
import { type FieldProblem, toDigits } from './field.ts'
import type { FieldName, InputType } from './field-names.ts'
import type { TextTransform } from './text/transform.ts'

type Tree = { readonly [member: string]: unknown }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isReference(value: unknown): value is Reference {
  return isTree(value) && typeof value.correlationId === 'string' && typeof value.path === 'string'
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function toExpiryDateText(month: unknown, year: unknown): string | undefined {
  const [monthText, yearText] = [toText(month), toText(year)]
  return monthText === undefined || yearText === undefined ? undefined : toExpiryText(monthText, yearText)
}

/** Returns the text of each input of an element for a static or resolved value. Ignores parts with a wrong type. */
export function toFieldTexts(
  parts: readonly FieldName[],
  value: unknown,
): { readonly [part in FieldName]?: string } {
  const texts: { [part in FieldName]?: string } = {}
  const setText = (part: FieldName, text: string | undefined) => {
    if (text !== undefined) texts[part] = text
  }
  const tree = isTree(value) ? value : {}
  if (parts.length > 1) {
    setText('number', toText(tree.number))
    setText('expiration', toExpiryDateText(tree.expiration_month, tree.expiration_year))
    setText('code', toText(tree.cvc))
    return texts
  }
  for (const part of parts) {
    setText(
      part,
      part === 'expiration' && isTree(value) ? toExpiryDateText(tree.month, tree.year) : toText(value),
    )
  }
  return texts
}

/** Replaces the references in a tree by their values, and leaves out anything else. */
export async function resolveReferences(
  tree: ReferenceTree,
  resolve: (reference: Reference) => Promise<unknown>,
): Promise<unknown> {
  if (isReference(tree)) return resolve(tree)
  if (!isTree(tree)) return undefined
  const members = Object.entries(tree).flatMap(([member, reference]) =>
    isReference(reference) ? [resolve(reference).then((value) => [member, value] as const)] : [],
  )
  return Object.fromEntries(await Promise.all(members))
}

export type FieldValue = {
  problem: null | FieldProblem | { [part: string]: FieldProblem }
  value?: unknown
  revealed?: boolean
}

export type FieldReading = { part: FieldName; text: string; problem: FieldProblem | null }

type ReadOptions = {
  transform: TextTransform | undefined
  /** Selects the month or the year of an expiration date, or the date in `format`. */
  method: string | undefined
  format: string | undefined
}

/** The value of an element in a payload, or what is wrong with its inputs. */
export function readValue(
  type: InputType,
  readings: readonly FieldReading[],
  { transform, method, format }: ReadOptions,
): FieldValue {
  if (type === 'card') return readCard(readings)
  const [only] = readings
  if (!only || only.problem) return { problem: only?.problem ?? 'incomplete' }
  if (type === 'cardExpirationDate') return readExpiry(only.text, method, format)
  if (type === 'cardNumber') return { problem: null, value: toDigits(only.text) }
  const value = transform ? transform.pattern.replace(only.text, transform.replacement) : only.text
  return value === undefined ? { problem: 'invalid' } : { problem: null, value }
}

/** Without a method, the value of an expiration date is the date as `MM/yy`. */
function readExpiry(text: string, method: string | undefined, format: string | undefined): FieldValue {
  const expiry = parseExpiry(text)
  if (!expiry) return { problem: 'incomplete' }
  if (method === 'month' || method === 'year') return { problem: null, value: expiry[method] }
  try {
    return { problem: null, value: formatExpiry(expiry, method === 'format' ? (format ?? '') : 'MM/yy') }
  } catch {
    return { problem: 'invalid' }
  }
}

function readCard(readings: readonly FieldReading[]): FieldValue {
  const problems: { [part: string]: FieldProblem } = {}
  const value: { [member: string]: unknown } = {}
  for (const { part, text, problem } of readings) {
    const members = readCardPart(part, text)
    Object.assign(value, members)
    if (problem) for (const member of Object.keys(members)) problems[member] = problem
  }
  return Object.keys(problems).length > 0 ? { problem: problems } : { problem: null, value }
}

function readCardPart(part: FieldName, text: string): { [member: string]: unknown } {
  if (part === 'number') return { number: toDigits(text) }
  if (part === 'code') return { cvc: text }
  const expiry = parseExpiry(text)
  return { expiration_month: expiry?.month, expiration_year: expiry?.year }
}

const padTwoDigits = (value: number) => String(value).padStart(2, '0')
const formatMonth = ({ month }: CardExpiry, length: 'short' | 'long') =>
  new Intl.DateTimeFormat('en-US', { month: length, timeZone: 'UTC' }).format(Date.UTC(2000, month - 1, 1))

/** The format tokens of Luxon for which a month and a year are enough. The day is always the first. */
const tokens: { readonly [token: string]: (expiry: CardExpiry) => string } = {
  M: ({ month }) => String(month),
  MM: ({ month }) => padTwoDigits(month),
  MMM: (expiry) => formatMonth(expiry, 'short'),
  MMMM: (expiry) => formatMonth(expiry, 'long'),
  L: ({ month }) => String(month),
  LL: ({ month }) => padTwoDigits(month),
  y: ({ year }) => String(year),
  yy: ({ year }) => padTwoDigits(year % 100),
  yyyy: ({ year }) => String(year),
  d: () => '1',
  dd: () => '01',
}

/**
 * Formats a date with the tokens of Luxon's `toFormat`. Text in single quotes is literal.
 *
 * @throws RangeError for a token that needs more than a month and a year
 */
export function formatExpiry(expiry: CardExpiry, format: string): string {
  return format.replace(/'([^']*)'|([A-Za-z])\2*/g, (token, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted
    const write = Object.hasOwn(tokens, token) ? tokens[token] : undefined
    if (!write) throw new RangeError('The format of the expiration date has an unknown token.')
    return write(expiry)
  })
}

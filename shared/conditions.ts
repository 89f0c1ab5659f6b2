import { createInvalidError } from './errors.ts'
import { z } from './zod.ts'

/** A condition on one field of the rows of a list, such as `status:4xx` or `-app:owner`. */
export type Condition<Field extends string = string> = {
  readonly field: Field
  /** The pattern that the field must match (`splitPattern`), or a comparison such as `>100ms`. */
  readonly value: string
  /** Set if the field must not have the value. */
  readonly not?: true | undefined
}

/** The maximum number of conditions of one list. */
const MAX_CONDITIONS = 20

/** The schema of conditions on these fields. SECURITY: ignoring an unknown field would widen the list. */
export function conditionsOn<const Field extends string>(fields: readonly [Field, ...Field[]]) {
  const condition = z.strictObject({
    field: z.enum(fields),
    value: z.string().min(1).max(400),
    not: z.literal(true).optional(),
  })
  return z.array(condition).max(MAX_CONDITIONS).readonly().optional()
}

/** The value of a field in a row. A number can be compared; a field without a value is undefined. */
export type FieldContent = string | number | undefined

/**
 * Whether a row meets all conditions: in each field one of the values that it may have, and none of those that it must
 * not have.
 */
export function matchesConditions<Field extends string>(
  conditions: readonly Condition<Field>[],
  read: (field: Field) => readonly FieldContent[],
): boolean {
  return groupConditions(conditions).every(
    ({ field, values, not }) =>
      read(field).some((actual) => values.some((value) => matchesValue(actual, value))) !== not,
  )
}

/** Whether a row meets a filter: all conditions, and one of its texts contains the words. */
export function matchesFilter<Field extends string>(
  { conditions, words }: Filter<Field>,
  read: (field: Field) => readonly FieldContent[],
  texts: readonly string[],
): boolean {
  const wanted = words.trim().toLowerCase()
  return (
    (wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted))) &&
    matchesConditions(conditions, read)
  )
}

export function isFiltered({ conditions, words }: Filter): boolean {
  return conditions.length > 0 || words.trim() !== ''
}

export type ConditionGroup<Field extends string = string> = {
  readonly field: Field
  readonly values: readonly string[]
  readonly not: boolean
}

/** Groups conditions that are alternatives: those on the same field, and those that the field must not meet. */
export function groupConditions<Field extends string>(
  conditions: readonly Condition<Field>[],
): readonly ConditionGroup<Field>[] {
  const groups = Map.groupBy(conditions, ({ field, not }) => `${not ?? false} ${field}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first
      ? [{ field: first.field, values: group.map(({ value }) => value), not: first.not === true }]
      : []
  })
}

/** Whether a value is the wanted one: a text with `*` for anything, or a comparison of numbers. */
export function matchesValue(actual: FieldContent, wanted: string): boolean {
  if (actual === undefined) return false
  return typeof actual === 'string'
    ? matchesPattern(actual.toLowerCase(), wanted.toLowerCase())
    : parseComparison(wanted)?.(actual) === true
}

/** Splits a pattern at each `*`, which stands for any characters. `\*` is an asterisk, and `\\` a backslash. */
export function splitPattern(pattern: string): string[] {
  const parts = ['']
  for (const [piece] of pattern.matchAll(/\\[\\*]|[^\\*]+|[\\*]/g)) {
    if (piece === '*') parts.push('')
    else parts.push((parts.pop() ?? '') + piece.replace(/^\\(?=.)/, ''))
  }
  return parts
}

/** Returns the pattern that matches this text alone. */
export function escapePattern(text: string): string {
  return text.replace(/\\(?=[\\*]|$)|\*/g, '\\$&')
}

/** Whether a text matches a pattern. Takes linear time. */
function matchesPattern(text: string, pattern: string): boolean {
  const [start = '', ...parts] = splitPattern(pattern)
  const end = parts.pop()
  if (end === undefined) return text === start
  if (!text.startsWith(start)) return false
  let at = start.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - end.length >= at && text.endsWith(end)
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1000,
  min: 60_000,
  b: 1,
  kib: 1024,
  mib: 1024 * 1024,
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '': (a, b) => a === b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
}

/** Parses a comparison such as `>100ms`, `403` or `4xx`, with durations in ms and sizes in bytes, if it is one. */
function parseComparison(wanted: string): ((actual: number) => boolean) | undefined {
  if (/^[1-5]xx$/i.test(wanted)) return (actual) => Math.floor(actual / 100) === Number(wanted[0])
  const [, sign = '', digits = '', unit = ''] = /^(>=|<=|>|<|)(\d+(?:\.\d+)?)([a-z]*)$/i.exec(wanted) ?? []
  const factor = units[unit.toLowerCase()]
  const compare = comparisons[sign]
  if (digits === '' || factor === undefined || compare === undefined) return undefined
  return (actual) => compare(actual, Number(digits) * factor)
}

/** Throws `invalid` for a condition on one of these fields, which have numbers, that is no comparison. */
export function checkComparisons<Field extends string>(
  conditions: readonly Condition<Field>[],
  fields: readonly Field[],
): void {
  const wrong = conditions.find(({ field, value }) => fields.includes(field) && !parseComparison(value))
  if (wrong)
    throw createInvalidError(wrong.field, 'must be a number, or a comparison such as >100ms or >1KiB')
}

/** A filter as a person types it: conditions, and words without a field. */
export type Filter<Field extends string = string> = {
  readonly conditions: readonly Condition<Field>[]
  readonly words: string
}

const WORD = /(-?)([a-z]+):("(?:[^"\\]|\\.)*"?|\S+)|\S+/gi

/** Parses a typed filter. A word before a colon that is no field stays a word. */
export function parseFilter<Field extends string>(text: string, fields: readonly Field[]): Filter<Field> {
  const conditions: Condition<Field>[] = []
  const words: string[] = []
  for (const [whole, minus, name, raw = ''] of text.matchAll(WORD)) {
    const field = fields.find((each) => each === name?.toLowerCase())
    const value = raw.startsWith('"') ? unquoteValue(raw) : raw
    const isFull = conditions.length === MAX_CONDITIONS
    if (field === undefined || value === '' || isFull) words.push(whole)
    else conditions.push({ field, value, ...(minus === '-' && { not: true }) })
  }
  return { conditions, words: words.join(' ') }
}

/** Formats a filter so that `parseFilter` returns it again. */
export function formatFilter({ conditions, words }: Filter): string {
  return [...conditions.map(formatCondition), words.trim()].filter(Boolean).join(' ')
}

/** Formats a condition as a person types it. */
function formatCondition({ field, value, not }: Condition): string {
  const isPlain = /^[^\s"]+$/.test(value)
  return `${not ? '-' : ''}${field}:${isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`
}

function unquoteValue(text: string): string {
  return text.slice(1).replace(/\\(.)|"$/g, '$1')
}

/** Adds conditions, except those that the filter has, and removes those that contradict one of them. */
export function withConditions<Field extends string>(
  filter: Filter<Field>,
  added: readonly Condition<Field>[],
): Filter<Field> {
  const isSame = (a: Condition, b: Condition) => a.field === b.field && a.value === b.value
  const others = filter.conditions.filter((each) => !added.some((one) => isSame(each, one)))
  return { ...filter, conditions: [...others, ...added] }
}

/** Removes every condition on these fields. */
export function withoutFields<Field extends string>(
  filter: Filter<Field>,
  fields: readonly Field[],
): Filter<Field> {
  return { ...filter, conditions: filter.conditions.filter(({ field }) => !fields.includes(field)) }
}

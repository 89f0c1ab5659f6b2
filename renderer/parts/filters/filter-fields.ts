import type { Condition, Filter } from '../../../shared/conditions.ts'
import { parseFilter, withConditions } from '../../../shared/conditions.ts'
import type { FilterOption } from '../../ui/fields/filter-field.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { strings as t } from './strings.ts'

export type FilterFieldOf<Field extends string = string> = {
  readonly field: Field
  readonly label: string
  readonly icon: IconName
  /** Values to suggest. A value with a name is typed and shown by it, such as an application. */
  readonly values?: readonly FieldChoice[]
  /** Formats a value without a name. */
  readonly format?: (value: string) => string
}
export type FieldChoice = { readonly value: string; readonly name?: string }

const MAX_OPTIONS = 12
const MAX_VALUES = 5

/** The name of a condition's value, such as that of an application. */
export function nameValue(fields: readonly FilterFieldOf[], { field, value }: Condition): string {
  const { values, format } = fields.find((each) => each.field === field) ?? {}
  return values?.find((each) => each.value === value)?.name ?? format?.(value) ?? value
}

/** Parses typed text. Names of values become values. */
export function readTyped<Field extends string>(
  text: string,
  fields: readonly FilterFieldOf<Field>[],
): Filter<Field> {
  const { conditions, words } = parseFilter(
    text,
    fields.map(({ field }) => field),
  )
  return { words, conditions: conditions.map((each) => ({ ...each, value: findValue(fields, each) })) }
}

function findValue(fields: readonly FilterFieldOf[], { field, value }: Condition): string {
  const typed = value.toLowerCase()
  const choices = fields.find((each) => each.field === field)?.values
  return choices?.find(({ name }) => name?.toLowerCase() === typed)?.value ?? value
}

/** Whether typed text may still become a condition, so that it is not searched for yet. */
export function isUnfinished(text: string, fields: readonly FilterFieldOf[]): boolean {
  const words = text.toLowerCase().split(/\s+/)
  return fields.some(({ field }) => words.some((word) => word.replace(/^-/, '').startsWith(`${field}:`)))
}

/** What typed text may become: values of the field that it names, or else fields, and values that contain it. */
export function suggestFilters<Field extends string>(
  text: string,
  fields: readonly FilterFieldOf<Field>[],
  filter: Filter<Field>,
  onFilter: (filter: Filter<Field>) => void,
): readonly FilterOption[] {
  const [, minus = '', name, typed = ''] = /^(-?)(?:([a-z]+):)?"?(.*?)"?$/is.exec(text) ?? []
  const not = minus === '-' ? ({ not: true } as const) : {}
  const wanted = typed.toLowerCase()
  const named = name === undefined ? undefined : fields.find(({ field }) => field === name.toLowerCase())
  const offerValue = (
    { field, label }: FilterFieldOf<Field>,
    { value, name }: FieldChoice,
  ): FilterOption => ({
    kind: minus === '-' ? `${label}, ${t.not}` : label,
    text: name ?? value,
    onChoose() {
      onFilter(withConditions({ ...filter, words: '' }, [{ field, value, ...not }]))
      return undefined
    },
  })
  const findValues = (of: FilterFieldOf<Field>, max: number) =>
    (of.values ?? [])
      .filter(({ value, name = '' }) => [value, name].some((each) => each.toLowerCase().includes(wanted)))
      .slice(0, max)
  if (named) {
    const known = findValues(named, MAX_OPTIONS)
    const isKnown = known.some(({ value, name = value }) => name.toLowerCase() === wanted)
    const asTyped = typed === '' || isKnown ? [] : [{ value: typed }]
    return [...asTyped, ...known].map((choice) => offerValue(named, choice))
  }
  const offeredFields = fields
    .filter(({ field, label }) => [field, label.toLowerCase()].some((each) => each.startsWith(wanted)))
    .map(
      ({ field, label }): FilterOption => ({
        kind: t.field,
        text: `${minus}${field}: ${label === field ? '' : label}`.trim(),
        onChoose: () => `${minus}${field}:`,
      }),
    )
  if (wanted === '') return offeredFields
  const values = fields.flatMap((each) =>
    findValues(each, MAX_VALUES).map((choice) => offerValue(each, choice)),
  )
  return [...offeredFields, ...values].slice(0, MAX_OPTIONS)
}

/** Values of a field that are their own names. */
export const toChoices = (...values: readonly string[]) => values.map((value) => ({ value }))

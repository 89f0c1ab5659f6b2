import { createInvalidError } from '../../../../shared/errors.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { consumeWork, type EvaluationBudget } from '../bounds.ts'
import { defineFilter } from '../filter.ts'
import { defineTextParam } from '../params.ts'
import { formatValue, isContainer, toJson, type Value } from '../value.ts'
import { compileSinglePath } from './json-path.ts'

/** `json: '$.a[0].b'` (rule E-07). Finds one value in JSON, or in a string that contains JSON. */
export const json = defineFilter(
  'json',
  [defineTextParam('path')],
  (path) => {
    const find = compileSinglePath(path)
    return (value, budget) => {
      // Parsing a string takes far longer per character than reading one, so parsing consumes additional work.
      if (typeof value === 'string') consumeWork(budget, value.length * 2)
      return find(parseValue(value), budget)
    }
  },
  { takes_null: true, spells: false },
)

/** `stringify` (rule E-07). Returns objects and arrays as compact JSON, and other values as text. */
export const stringify = defineFilter('stringify', [], () => stringifyValue, { spells: false })

/** `json_stringify`, an alias of `stringify` (rule E-02). */
export const jsonStringify = defineFilter('json_stringify', [], () => stringifyValue, { spells: false })

function stringifyValue(value: Value, { work }: EvaluationBudget): string {
  return isContainer(value) ? work.stringifyJson(value) : formatValue(value)
}

function parseValue(value: Value): Json {
  if (typeof value !== 'string') return toJson(value)
  try {
    return readJson(value)
  } catch {
    throw createInvalidError(
      '',
      'must pass an object, an array or text that contains JSON to the filter json',
    )
  }
}

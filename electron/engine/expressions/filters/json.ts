import { countCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { consumeWork, type EvaluationBudget } from '../bounds.ts'
import { defineFilter } from '../filter.ts'
import { findNodes } from '../json-path/find.ts'
import { parseJsonPath } from '../json-path/parse.ts'
import { defineTextParam } from '../params.ts'
import { formatValue, isContainer, toJson, type Value } from '../value.ts'

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

/** Compiles a JSONPath to a function that finds exactly one value (rule E-07). Throws `invalid` for an invalid path. */
function compileSinglePath(path: string): (value: Json, budget: EvaluationBudget) => Json {
  // SECURITY: limiting the length also limits how deeply a path can be nested, and the work per node.
  if (countCodePoints(path) > 500)
    throw createInvalidError('', 'must pass a path of at most 500 characters to the filter json')
  const query = parseJsonPath(path)
  return (value, budget) => {
    const [only, ...more] = findNodes(query, value, budget)
    if (only === undefined || more.length > 0) {
      throw createInvalidError('', 'must pass a path that matches exactly one value to the filter json')
    }
    return only
  }
}

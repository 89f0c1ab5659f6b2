import { invalid } from '../../../../shared/errors.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { type Budget, spend } from '../bounds.ts'
import { filter } from '../filter.ts'
import { text } from '../params.ts'
import { isContainer, jsonOf, textOf, type Value } from '../value.ts'
import { single } from './json-path.ts'

/** `json: '$.a[0].b'` (rule E-07) of JSON, or of a text that holds JSON. */
export const json = filter(
  'json',
  [text('path')],
  (path) => {
    const find = single(path)
    return (value, budget) => {
      // A text is parsed, which takes far longer per character than reading it.
      if (typeof value === 'string') spend(budget, value.length * 2)
      return find(opened(value), budget)
    }
  },
  { takes_null: true, spells: false },
)

/** `stringify` (rule E-07). */
export const stringify = filter('stringify', [], () => stringified, { spells: false })

/** `json_stringify`, an alias of `stringify` (rule E-02). */
export const jsonStringify = filter('json_stringify', [], () => stringified, { spells: false })

function stringified(value: Value, { work }: Budget): string {
  return isContainer(value) ? work.textOf(value) : textOf(value)
}

function opened(value: Value): Json {
  if (typeof value !== 'string') return jsonOf(value)
  try {
    return readJson(value)
  } catch {
    throw invalid('', 'must give the filter json an object, an array or a text that holds JSON')
  }
}

import { countCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { EvaluationBudget } from '../bounds.ts'
import { findNodes } from '../json-path/find.ts'
import { parseJsonPath } from '../json-path/parse.ts'

/** Compiles a JSONPath to a function that finds exactly one value (rule E-07). Throws `invalid` for an invalid path. */
export function compileSinglePath(path: string): (value: Json, budget: EvaluationBudget) => Json {
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

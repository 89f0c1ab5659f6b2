import { countCodePoints } from '../../../../shared/characters.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { EvaluationBudget } from '../bounds.ts'
import { findNodes } from '../json-path/find.ts'
import { parseJsonPath } from '../json-path/parse.ts'

/** Compiles a JSONPath into a function that finds its one value (rule E-07). Throws `invalid` for a refused path. */
export function compileSinglePath(path: string): (value: Json, budget: EvaluationBudget) => Json {
  // SECURITY: a path is nested no deeper than it is long, and so is the work of each node.
  if (countCodePoints(path) > 500)
    throw createInvalidError('', 'must give the filter json a path of at most 500 characters')
  const query = parseJsonPath(path)
  return (value, budget) => {
    const [only, ...more] = findNodes(query, value, budget)
    if (only === undefined || more.length > 0) {
      throw createInvalidError('', 'must give the filter json a path that finds exactly one value')
    }
    return only
  }
}

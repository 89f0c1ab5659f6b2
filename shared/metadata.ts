import { lengthOf } from './characters.ts'
import { invalid } from './errors.ts'
import { isObject } from './json.ts'
import { memberPath, Problems } from './problems.ts'

/**
 * Returns the metadata of a token unchanged (T-06). Throws one `invalid` error that lists every problem: it must be an
 * object of at most 50 pairs, with keys of 1 to 200 characters and string values of at most 2,000.
 */
export function checkMetadata(value: unknown, path: string): Record<string, string> {
  if (!isObject(value)) throw invalid(path, 'must be an object of strings')
  const pairs = Object.entries(value)
  if (pairs.length > 50) throw invalid(path, 'must have at most 50 pairs')
  const problems = new Problems()
  for (const [key, each] of pairs) {
    if (key === '' || lengthOf(key) > 200) problems.add(path, 'must have keys of 1 to 200 characters')
    if (!key.isWellFormed()) problems.add(path, 'must have keys that are valid Unicode')
    if (typeof each !== 'string') problems.add(memberPath(path, key), 'must be a string')
    else if (lengthOf(each) > 2000) problems.add(memberPath(path, key), 'must have at most 2000 characters')
    else if (!each.isWellFormed()) problems.add(memberPath(path, key), 'must be valid Unicode')
  }
  problems.throwIfAny()
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}

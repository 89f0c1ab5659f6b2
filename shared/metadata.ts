import { countCodePoints } from './characters.ts'
import { isObject } from './json.ts'
import { Problems, toMemberPath } from './problems.ts'

/** Returns the problems of metadata (T-06) as pairs of key, null for the whole object, and message. */
export function findMetadataProblems(
  value: unknown,
): readonly (readonly [key: string | null, problem: string])[] {
  if (!isObject(value)) return [[null, 'must be an object of strings']]
  const pairs = Object.entries(value)
  if (pairs.length > 50) return [[null, 'must have at most 50 pairs']]
  const problems: [string | null, string][] = []
  for (const [key, each] of pairs) {
    if (key === '' || countCodePoints(key) > 200)
      problems.push([null, 'must have keys of 1 to 200 characters'])
    if (!key.isWellFormed()) problems.push([null, 'must have keys that are valid Unicode'])
    if (typeof each !== 'string') problems.push([key, 'must be a string'])
    else if (countCodePoints(each) > 2000) problems.push([key, 'must have at most 2000 characters'])
    else if (!each.isWellFormed()) problems.push([key, 'must be valid Unicode'])
  }
  return problems
}

/**
 * Returns the metadata of a token unchanged (T-06). Throws one `invalid` error that lists every problem: it must be an
 * object of at most 50 pairs, with keys of 1 to 200 characters and string values of at most 2,000.
 */
export function checkMetadata(value: unknown, path: string): Record<string, string> {
  const problems = new Problems()
  for (const [key, problem] of findMetadataProblems(value)) {
    problems.add(key === null ? path : toMemberPath(path, key), problem)
  }
  problems.throwIfAny()
  return value as Record<string, string>
}

import { countCodePoints } from './characters.ts'
import { createInvalidError } from './errors.ts'
import { Problems } from './problems.ts'

export const MAX_CONTAINER_LENGTH = 200
/** The form of a container before it is lower-cased (rule P-10). */
export const containerPattern = /^\/(?:[A-Za-z0-9_-]+\/)*$/
const MAX_CONTAINERS = 10

/**
 * Returns the stored form of a container: lower case (P-10). Throws `invalid` unless it starts and ends with `/`, and
 * its segments consist of letters, digits, `-` and `_`.
 */
export function normalizeContainer(value: string, path: string): string {
  if (countCodePoints(value) > MAX_CONTAINER_LENGTH)
    throw createInvalidError(path, `must have at most ${MAX_CONTAINER_LENGTH} characters`)
  // SECURITY: tested before lower-casing, which turns some non-ASCII characters into ASCII letters.
  if (!containerPattern.test(value)) {
    throw createInvalidError(path, 'must start and end with / and have segments of letters, digits, - and _')
  }
  return value.toLowerCase()
}

/**
 * Returns the stored form of a token's containers (P-10): 1 to 10 without duplicates, the primary one first. Throws one
 * `invalid` error that lists all problems.
 */
export function normalizeContainers(values: readonly string[], path: string): string[] {
  if (values.length < 1 || values.length > MAX_CONTAINERS) {
    throw createInvalidError(path, `must name 1 to ${MAX_CONTAINERS} containers`)
  }
  const problems = new Problems()
  const normal = values.map((value, at) =>
    problems.attemptCheck(() => normalizeContainer(value, `${path}[${at}]`)),
  )
  problems.throwIfAny()
  return [...new Set(normal.filter((each) => each !== undefined))]
}

/** Whether a container is the scope or below it, by segments (P-05). Both must be in stored form. */
export function includesContainer(scope: string, container: string): boolean {
  return container.startsWith(scope)
}

/** Returns a scope as a range of text in binary order, for SQL: `container >= from AND container < to` (P-05, P-09). */
export function getContainerRange(scope: string): [from: string, to: string] {
  // '0' is the character right after '/'.
  return [scope, `${scope.slice(0, -1)}0`]
}

/** Returns all scopes that cover a container, outermost first: `/a/b/` has `/`, `/a/`, `/a/b/` (P-05). */
export function listScopes(container: string): string[] {
  const ends = [...container.matchAll(/\//g)]
  return ends.map(({ index }) => container.slice(0, index + 1))
}

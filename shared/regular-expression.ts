/** The maximum length of a regular expression, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 1_000
const LENGTH_PROBLEM = 'must have at most 1,000 characters'
/** The maximum number of groups, because V8 takes quadratic time to compile nested ones (case X-65). */
const MAX_GROUPS = 100
const MAX_GROUP_DEPTH = 10

/** The tokens that matter for counting groups: an escape, a class, the start of a group, the end of a group. */
const tokens = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?<special>\?(?!<[^=!]))?|\)/g

/**
 * Checks a regular expression for a mask (rule G-05). Returns the problem, worded to follow the name of its field, or
 * undefined. The expression is parsed but never run, because it might not terminate even on an empty string (case
 *
 */
export function findExpressionProblem(expression: string): string | undefined {
  // The schema checks the length too, but this function runs even if that fails.
  if (expression.length > MAX_PATTERN_LENGTH) return LENGTH_PROBLEM
  let groups = 0
  let captures = 0
  let depth = 0
  let deepest = 0
  for (const { 0: token, groups: namedGroups } of expression.matchAll(tokens)) {
    if (token === ')') depth--
    if (!token.startsWith('(')) continue
    groups++
    if (namedGroups?.special === undefined) captures++
    deepest = Math.max(deepest, ++depth)
  }
  if (groups > MAX_GROUPS) return `must not have more than ${MAX_GROUPS} groups`
  if (deepest > MAX_GROUP_DEPTH) return `must not nest groups more than ${MAX_GROUP_DEPTH} levels deep`
  if (!isExpression(expression)) return 'is not a regular expression'
  return captures === 0 ? 'must have a capture group' : undefined
}

function isExpression(expression: string): boolean {
  try {
    // SECURITY: the constructor only parses; the first use compiles and runs the expression (case X-65).
    new RegExp(expression)
    return true
  } catch {
    return false
  }
}

/** The longest expression that Coffer takes, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 1_000
const LENGTH_PROBLEM = 'must have at most 1,000 characters'
/** V8 compiles nested groups in the square of their number, and nothing can stop it there (case X-65). */
const MAX_GROUPS = 100
const MAX_GROUP_DEPTH = 10

/** What a scan for groups stops at: an escape, a class, the beginning of a group, an end. */
const tokens = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?<special>\?(?!<[^=!]))?|\)/g

/**
 * What is wrong with a regular expression that somebody names for a mask, as the end of a sentence that begins with its
 * place, or undefined (rule G-05). It is parsed, never run: even on an empty text it might not end (case X-65).
 */
export function findExpressionProblem(expression: string): string | undefined {
  // Its schema says the same, but does not keep this from being asked.
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
  if (deepest > MAX_GROUP_DEPTH) return `must not nest groups more than ${MAX_GROUP_DEPTH} deep`
  if (!isExpression(expression)) return 'is not a regular expression'
  return captures === 0 ? 'must have a capture group' : undefined
}

/** Whether this is a regular expression of JavaScript. */
function isExpression(expression: string): boolean {
  try {
    // SECURITY: making one parses it; only using it compiles and runs it (case X-65).
    new RegExp(expression)
    return true
  } catch {
    return false
  }
}

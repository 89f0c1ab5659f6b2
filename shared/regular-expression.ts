/** The longest expression that Coffer takes, in UTF-16 code units. */
export const LONGEST_EXPRESSION = 1_000
const LENGTH_PROBLEM = 'must have at most 1,000 characters'
/** V8 compiles nested groups in the square of their number, and nothing can stop it there (case X-65). */
const MOST_GROUPS = 100
const DEEPEST_GROUPS = 10

/** What a scan for groups stops at: an escape, a class, the beginning of a group, an end. */
const tokens = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?<special>\?(?!<[^=!]))?|\)/g

/**
 * What is wrong with a regular expression that somebody names for a mask, as the end of a sentence that begins with its
 * place, or undefined (rule G-05). It is parsed, never run: even on an empty text it might not end (case X-65).
 */
export function problemOfExpression(expression: string): string | undefined {
  // Its schema says the same, but does not keep this from being asked.
  if (expression.length > LONGEST_EXPRESSION) return LENGTH_PROBLEM
  let groups = 0
  let captures = 0
  let depth = 0
  let deepest = 0
  for (const { 0: token, groups: named } of expression.matchAll(tokens)) {
    if (token === ')') depth--
    if (!token.startsWith('(')) continue
    groups++
    if (named?.special === undefined) captures++
    deepest = Math.max(deepest, ++depth)
  }
  if (groups > MOST_GROUPS) return `must not have more than ${MOST_GROUPS} groups`
  if (deepest > DEEPEST_GROUPS) return `must not nest groups more than ${DEEPEST_GROUPS} deep`
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

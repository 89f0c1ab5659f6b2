import { isValidExpression } from './patterns/code-set.ts'
import { countGroups, PatternError, parsePattern } from './patterns/parse.ts'
import { compileProgram, type PatternProgram } from './patterns/program.ts'

/** The maximum length of a regular expression, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 1_000
const LENGTH_PROBLEM = 'must have at most 1,000 characters'
const MAX_GROUPS = 100
const MAX_GROUP_DEPTH = 10

/** The maximum number of steps, which repetitions of groups multiply (case X-65). */
const MAX_STEPS = 5_000

/**
 * Compiles the regular expression of a mask. It must be valid. Throws PatternError if it would need too many steps.
 */
export function compileExpression(expression: string): PatternProgram {
  return compileProgram(parsePattern({ source: expression, flags: '' }), MAX_STEPS)
}

/**
 * Checks a regular expression for a mask (rule G-05). Returns the problem, worded to follow the name of its field, or
 * undefined. The expression is parsed but never run, because it might not terminate even on an empty string (case
 *
 */
export function findExpressionProblem(expression: string): string | undefined {
  // The schema checks the length too, but this function runs even if that fails.
  if (expression.length > MAX_PATTERN_LENGTH) return LENGTH_PROBLEM
  const { groups, captures, depth } = countGroups(expression)
  if (groups > MAX_GROUPS) return `must not have more than ${MAX_GROUPS} groups`
  if (depth > MAX_GROUP_DEPTH) return `must not nest groups more than ${MAX_GROUP_DEPTH} levels deep`
  if (!isValidExpression(expression)) return 'is not a regular expression'
  if (captures === 0) return 'must have a capture group'
  try {
    compileExpression(expression)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return 'must not repeat groups that often. Use smaller counts'
    throw error
  }
}

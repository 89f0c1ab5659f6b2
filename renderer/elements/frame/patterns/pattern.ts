import { isValidExpression } from '../../../../shared/patterns/code-set.ts'
import { Matcher } from '../../../../shared/patterns/matcher.ts'
import { PatternError, type PatternNode, parsePattern } from '../../../../shared/patterns/parse.ts'
import { compileProgram, listGroups, listParts } from '../../../../shared/patterns/program.ts'

const MAX_SOURCE_LENGTH = 1000
const MAX_REPLACED_LENGTH = 1_000_000
const MAX_INSTRUCTIONS = 3000
const MAX_TEXT_LENGTH = 5000
const MAX_STEPS = 2_000_000

class TooManyStepsError extends Error {}

/** Runs a search in a text; undefined if it reaches the step limit. SECURITY: pages choose the patterns. */
function runWithinLimit<T>(text: string, run: (spend: (steps: number) => void) => T): T | undefined {
  let left = text.length > MAX_TEXT_LENGTH ? 0 : MAX_STEPS
  try {
    return run((steps) => {
      left -= steps
      if (left < 0) throw new TooManyStepsError()
    })
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined
    throw error
  }
}

export type SafePattern = {
  /** Whether the text has a match. Also false if the step limit is reached before a match is found. */
  test(text: string): boolean
  /** Replaces every match, as `String.replace` does. Undefined if the step limit is reached. */
  replace(text: string, replacement: string): string | undefined
}

/** Rejects an unbounded repeat inside another one, as the hosted service does, backreferences and lookbehinds. */
function checkNode(part: PatternNode, isRepeated = false): void {
  if (part.is === 'backreference') throw new PatternError('has a backreference')
  if (part.is === 'around' && part.isBehind) throw new PatternError('has a lookbehind')
  const isEndless = part.is === 'repeat' && part.max === Infinity
  if (part.is === 'repeat' && (isEndless ? part.min : part.max) > MAX_INSTRUCTIONS) {
    throw new PatternError('is too large')
  }
  if (isEndless && isRepeated) throw new PatternError('has nested repeats')
  for (const each of listParts(part)) checkNode(each, isRepeated || isEndless)
}

/**
 * Compiles a pattern of the page, without the flags `g` and `y`.
 *
 * @throws PatternError if it is rejected: too long, nested repeats, a backreference or a lookbehind
 */
export function createSafePattern(expression: Pick<RegExp, 'source' | 'flags'>): SafePattern {
  if (expression.source.length > MAX_SOURCE_LENGTH) throw new PatternError('is too long')
  if (expression.flags.includes('v')) throw new PatternError('has the flag v')
  const parts = parsePattern(expression)
  checkNode(parts)
  const program = compileProgram(parts, MAX_INSTRUCTIONS)
  const isUnicode = expression.flags.includes('u')
  const groups = listGroups(parts)
  const names = new Map(groups.map(({ name, number }) => [name, number]))
  function expandTemplate(template: string, matcher: Matcher): string {
    const getGroup = (number: number) => matcher.readGroup(number) ?? ''
    return template.replace(/\$(?:([$&])|(\d\d?)|<([^>]*)>)/g, (text, sign, digits, name) => {
      if (sign) return sign === '$' ? '$' : getGroup(0)
      if (name !== undefined)
        return groups.every((each) => each.name === undefined) ? text : getGroup(names.get(name) ?? Infinity)
      return expandGroupNumber(text, digits, getGroup)
    })
  }

  function expandGroupNumber(text: string, digits: string, group: (number: number) => string): string {
    if (Number(digits) >= 1 && Number(digits) <= groups.length) return group(Number(digits))
    const [first = '', second = ''] = digits
    return Number(first) >= 1 && Number(first) <= groups.length ? group(Number(first)) + second : text
  }

  function replaceMatches(matcher: Matcher, replacement: string): string | undefined {
    let output = ''
    let at = 0
    while (matcher.findNext()) {
      output += matcher.readText(at, matcher.start) + expandTemplate(replacement, matcher)
      if (output.length > MAX_REPLACED_LENGTH) return undefined
      at = matcher.end
    }
    return output + matcher.readText(at, matcher.length)
  }

  return {
    test: (text) =>
      runWithinLimit(text, (spend) => new Matcher(program, text, isUnicode, spend).findNext()) ?? false,
    replace: (text, replacement) =>
      runWithinLimit(text, (spend) =>
        replaceMatches(new Matcher(program, text, isUnicode, spend), replacement),
      ),
  }
}

/**
 * Compiles a pattern with only the flag `u`. Throws PatternError like `createSafePattern`, and SyntaxError
 * if the pattern is not valid with that flag.
 */
export function createUnicodePattern({ source }: RegExp): SafePattern {
  if (!isValidExpression(source, 'u')) throw new SyntaxError('is not valid with the flag u')
  return createSafePattern({ source, flags: 'u' })
}

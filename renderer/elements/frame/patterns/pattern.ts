import { type Marks, Matcher, runWithinLimit } from './matcher.ts'
import { PatternError, type PatternNode, parsePattern } from './parse.ts'
import { compileProgram, listGroups } from './program.ts'

const MAX_SOURCE_LENGTH = 1000
const MAX_REPLACED_LENGTH = 1_000_000

export type SafePattern = {
  /** Whether the text has a match. Also false if the step limit is reached before a match is found. */
  test(text: string): boolean
  /** Replaces every match, as `String.replace` does. Undefined if the step limit is reached. */
  replace(text: string, replacement: string): string | undefined
}

/** Whether an unbounded repeat contains another one. */
function isNested(part: PatternNode, inside: boolean): boolean {
  switch (part.is) {
    case 'sequence':
    case 'either':
      return part.parts.some((each) => isNested(each, inside))
    case 'repeat': {
      const endless = part.max === Infinity
      return (endless && inside) || isNested(part.part, inside || endless)
    }
    case 'group':
    case 'ahead':
      return isNested(part.part, inside)
    default:
      return false
  }
}

/**
 * Compiles a pattern of the page, without the flags `g` and `y`.
 *
 * @throws PatternError if it is rejected: too long, nested repeats, a backreference or a lookbehind
 */
export function createSafePattern(expression: RegExp): SafePattern {
  if (expression.source.length > MAX_SOURCE_LENGTH) throw new PatternError('is too long')
  if (expression.flags.includes('v')) throw new PatternError('has the flag v')
  const parts = parsePattern(expression)
  if (isNested(parts, false)) throw new PatternError('has nested repeats')
  const program = compileProgram(parts)
  const groups = listGroups(parts)
  const names = new Map(groups.map(({ name, number }) => [name, number]))
  function expandTemplate(template: string, marks: Marks, matcher: Matcher): string {
    const getGroup = (number: number) => matcher.readText(marks[number * 2] ?? 0, marks[number * 2 + 1] ?? 0)
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

  function replaceMatches(text: string, replacement: string): string | undefined {
    const matcher = new Matcher(program, text, expression)
    let output = ''
    let at = 0
    for (let from = 0; from <= matcher.length; ) {
      const marks = matcher.findMatch(from)
      if (!marks) break
      const [start = 0, end = 0] = marks
      output += matcher.readText(at, start) + expandTemplate(replacement, marks, matcher)
      if (output.length > MAX_REPLACED_LENGTH) return undefined
      at = end
      from = end > start ? end : end + 1
    }
    return output + matcher.readText(at, matcher.length)
  }

  return {
    test: (text) =>
      runWithinLimit(() => new Matcher(program, text, expression).findMatch(0) !== undefined) ?? false,
    replace: (text, replacement) => runWithinLimit(() => replaceMatches(text, replacement)),
  }
}

/**
 * Compiles a pattern with only the flag `u`. Throws PatternError like `createSafePattern`, and SyntaxError
 * if the pattern is not valid with that flag.
 */
export function createUnicodePattern({ source }: RegExp): SafePattern {
  return createSafePattern(new RegExp(source, 'u'))
}

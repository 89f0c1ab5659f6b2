import { PatternError, type PatternNode, parsePattern } from './parse.ts'
import { compileProgram, listGroups, type PatternInstruction } from './program.ts'

// SECURITY: the page's expressions run here against what a person types, on every key press. The browser's
// own engine may backtrack for ever. This engine never tries the same step twice at one position, and stops
// after a bounded number of steps.

const MAX_SOURCE_LENGTH = 1000
const MAX_TEXT_LENGTH = 5000
const MAX_TRIES = 500_000
const MAX_REPLACED_LENGTH = 1_000_000

export type SafePattern = {
  /** Whether the text has a match. Also false if the step limit is reached before a match is found. */
  test(text: string): boolean
  /** Replaces every match, as `String.replace` does. Undefined if the step limit is reached. */
  replace(text: string, replacement: string): string | undefined
}

class TooManyTriesError extends Error {}

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

type Marks = readonly (number | undefined)[]

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
  const { multiline, unicode } = expression

  function createMatcher(text: string) {
    const characters = unicode ? [...text] : text.split('')
    const { length } = characters
    let tries = length > MAX_TEXT_LENGTH ? Infinity : 0

    function addCost(cost: number): void {
      tries += cost
      if (tries > MAX_TRIES) throw new TooManyTriesError()
    }

    function createVisitedMap(steps: readonly PatternInstruction[]): Uint8Array {
      const places = steps.length * (length + 1)
      addCost(places >> 6)
      return new Uint8Array(places)
    }

    const isWord = (at: number) => /^\w$/.test(characters[at] ?? '')
    const isLineEnd = (at: number) => /^[\n\r\u2028\u2029]$/.test(characters[at] ?? '')

    function checkAssertion(what: string, at: number): boolean {
      if (what === '^') return at === 0 || (multiline && isLineEnd(at - 1))
      if (what === '$') return at === length || (multiline && isLineEnd(at))
      return (isWord(at - 1) !== isWord(at)) === (what === 'b')
    }

    /**
     * The group positions of the first match that starts at `start`. `visited` marks the steps already tried
     * at each position.
     */
    function matchAt(
      steps: readonly PatternInstruction[],
      start: number,
      initialMarks: Marks,
      visited: Uint8Array,
    ): Marks | undefined {
      const open: [step: number, at: number, marks: Marks][] = [[0, start, initialMarks]]
      for (let next = open.pop(); next; next = open.pop()) {
        let [step, at, marks] = next
        for (;;) {
          const index = at * steps.length + step
          if (visited[index]) break
          visited[index] = 1
          addCost(1)
          const now = steps[step]
          if (!now || now.do === 'end') {
            const end = [...marks]
            end[0] = start
            end[1] = at
            return end
          }
          if (now.do === 'jump') {
            step = now.to
            continue
          }
          if (now.do === 'split') {
            open.push([now.second, at, marks])
            step = now.first
            continue
          }
          if (now.do === 'one') {
            const character = characters[at]
            if (character === undefined || !now.test(character)) break
            at++
          } else if (now.do === 'assertion') {
            if (!checkAssertion(now.what, at)) break
          } else if (now.do === 'mark') {
            const changed = [...marks]
            changed[now.slot] = at
            marks = changed
          } else if (now.do === 'forget') {
            const changed = [...marks]
            changed.fill(undefined, now.first, now.last + 1)
            marks = changed
          } else {
            const match = matchAt(now.program, at, marks, createVisitedMap(now.program))
            if ((match === undefined) !== now.negative) break
            if (match) marks = match
          }
          step++
        }
      }
      return undefined
    }

    function find(from: number): Marks | undefined {
      const visited = createVisitedMap(program)
      for (let start = from; start <= length; start++) {
        const match = matchAt(program, start, [], visited)
        if (match) return match
      }
      return undefined
    }

    const between = (from: number | undefined = 0, to: number | undefined = 0) =>
      characters.slice(from, to).join('')

    return { characters, find, between }
  }

  function expandTemplate(
    template: string,
    marks: Marks,
    between: (from?: number, to?: number) => string,
  ): string {
    const getGroup = (number: number) => between(marks[number * 2], marks[number * 2 + 1])
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

  return {
    test(text) {
      try {
        return createMatcher(text).find(0) !== undefined
      } catch (error) {
        if (error instanceof TooManyTriesError) return false
        throw error
      }
    },
    replace(text, replacement) {
      const { characters, find, between } = createMatcher(text)
      let output = ''
      let at = 0
      try {
        for (let from = 0; from <= characters.length; ) {
          const marks = find(from)
          if (!marks) break
          const [start = 0, end = 0] = marks
          output += between(at, start) + expandTemplate(replacement, marks, between)
          if (output.length > MAX_REPLACED_LENGTH) return undefined
          at = end
          from = end > start ? end : end + 1
        }
      } catch (error) {
        if (error instanceof TooManyTriesError) return undefined
        throw error
      }
      return output + between(at, characters.length)
    },
  }
}

/**
 * Compiles a pattern with only the flag `u`. Throws PatternError like `createSafePattern`, and SyntaxError
 * if the pattern is not valid with that flag.
 */
export function createUnicodePattern({ source }: RegExp): SafePattern {
  return createSafePattern(new RegExp(source, 'u'))
}

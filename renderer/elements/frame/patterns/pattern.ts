import { type Part, PatternProblem, parsePattern } from './parse.ts'
import { groupsOf, programOf, type Step } from './program.ts'

// SECURITY: expressions of the page run here on what a person types, at each key. The browser's own engine may take
// for ever; this one tries no step twice at one place, and gives up after a bounded number of them.

const longestSource = 1000
const longestText = 5000
const mostTries = 500_000
const longestWritten = 1_000_000

export type Pattern = {
  /** Whether the text has a match. False also if that cannot be said within the bound. */
  test(text: string): boolean
  /** The text with every match replaced, as `String.replace` does; undefined if it takes too long. */
  replace(text: string, replacement: string): string | undefined
}

class TooLong extends Error {}

/** Whether something that repeats without end is inside something else that does. */
function isNested(part: Part, inside: boolean): boolean {
  switch (part.is) {
    case 'sequence':
    case 'either':
      return part.parts.some((each) => isNested(each, inside))
    case 'repeat': {
      const endless = part.most === Infinity
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
 * A pattern of the page, without `g` and `y`.
 *
 * @throws PatternProblem if it is not run: too long, with repeats in repeats, backreferences or looking behind
 */
export function safePattern(given: RegExp): Pattern {
  if (given.source.length > longestSource) throw new PatternProblem('is too long')
  if (given.flags.includes('v')) throw new PatternProblem('has the flag v')
  const parts = parsePattern(given)
  if (isNested(parts, false)) throw new PatternProblem('repeats what repeats')
  const program = programOf(parts)
  const groups = groupsOf(parts)
  const names = new Map(groups.map(({ name, number }) => [name, number]))
  const { multiline, unicode } = given

  function runner(text: string) {
    const characters = unicode ? [...text] : text.split('')
    const { length } = characters
    let tries = length > longestText ? Infinity : 0

    function spend(cost: number): void {
      tries += cost
      if (tries > mostTries) throw new TooLong()
    }

    function nothingTried(steps: readonly Step[]): Uint8Array {
      const places = steps.length * (length + 1)
      spend(places >> 6)
      return new Uint8Array(places)
    }

    const isWord = (at: number) => /^\w$/.test(characters[at] ?? '')
    const isLineEnd = (at: number) => /^[\n\r\u2028\u2029]$/.test(characters[at] ?? '')

    function holds(what: string, at: number): boolean {
      if (what === '^') return at === 0 || (multiline && isLineEnd(at - 1))
      if (what === '$') return at === length || (multiline && isLineEnd(at))
      return (isWord(at - 1) !== isWord(at)) === (what === 'b')
    }

    /** The marks of the first match that starts here; `tried` remembers what has failed. */
    function matchAt(
      steps: readonly Step[],
      start: number,
      begin: Marks,
      tried: Uint8Array,
    ): Marks | undefined {
      const open: [step: number, at: number, marks: Marks][] = [[0, start, begin]]
      for (let next = open.pop(); next; next = open.pop()) {
        let [step, at, marks] = next
        for (;;) {
          const place = at * steps.length + step
          if (tried[place]) break
          tried[place] = 1
          spend(1)
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
            if (!holds(now.what, at)) break
          } else if (now.do === 'mark') {
            const changed = [...marks]
            changed[now.slot] = at
            marks = changed
          } else if (now.do === 'forget') {
            const changed = [...marks]
            changed.fill(undefined, now.first, now.last + 1)
            marks = changed
          } else {
            const found = matchAt(now.program, at, marks, nothingTried(now.program))
            if ((found === undefined) !== now.negative) break
            if (found) marks = found
          }
          step++
        }
      }
      return undefined
    }

    function find(from: number): Marks | undefined {
      const tried = nothingTried(program)
      for (let start = from; start <= length; start++) {
        const found = matchAt(program, start, [], tried)
        if (found) return found
      }
      return undefined
    }

    const between = (from: number | undefined = 0, to: number | undefined = 0) =>
      characters.slice(from, to).join('')

    return { characters, find, between }
  }

  function expanded(template: string, marks: Marks, between: (from?: number, to?: number) => string): string {
    const group = (number: number) => between(marks[number * 2], marks[number * 2 + 1])
    return template.replace(/\$(?:([$&])|(\d\d?)|<([^>]*)>)/g, (text, sign, digits, name) => {
      if (sign) return sign === '$' ? '$' : group(0)
      if (name !== undefined)
        return groups.every((each) => each.name === undefined) ? text : group(names.get(name) ?? Infinity)
      return expandedNumber(text, digits, group)
    })
  }

  function expandedNumber(text: string, digits: string, group: (number: number) => string): string {
    if (Number(digits) >= 1 && Number(digits) <= groups.length) return group(Number(digits))
    const [first = '', second = ''] = digits
    return Number(first) >= 1 && Number(first) <= groups.length ? group(Number(first)) + second : text
  }

  return {
    test(text) {
      try {
        return runner(text).find(0) !== undefined
      } catch (error) {
        if (error instanceof TooLong) return false
        throw error
      }
    },
    replace(text, replacement) {
      const { characters, find, between } = runner(text)
      let written = ''
      let at = 0
      try {
        for (let from = 0; from <= characters.length; ) {
          const marks = find(from)
          if (!marks) break
          const [start = 0, end = 0] = marks
          written += between(at, start) + expanded(replacement, marks, between)
          if (written.length > longestWritten) return undefined
          at = end
          from = end > start ? end : end + 1
        }
      } catch (error) {
        if (error instanceof TooLong) return undefined
        throw error
      }
      return written + between(at, characters.length)
    },
  }
}

/** The same with the flag `u` alone. Throws SyntaxError too, where that makes it none. */
export function unicodePattern({ source }: RegExp): Pattern {
  return safePattern(new RegExp(source, 'u'))
}

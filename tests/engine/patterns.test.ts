import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Matcher } from '../../shared/patterns/matcher.ts'
import { parsePattern } from '../../shared/patterns/parse.ts'
import { compileProgram, type PatternProgram } from '../../shared/patterns/program.ts'
import { compileExpression, findExpressionProblem } from '../../shared/regular-expression.ts'
import { fuzzTimeout, getFuzzParameters } from '../fuzz.ts'

const characters = [
  ...'abc.^$',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '[ab]',
  '[^a]',
  '[^]',
  '[a-c]',
  '\\b',
  '\\B',
  '1',
  ' ',
]
const escapes = [
  '\\x61',
  '\\u00e9',
  '\\0',
  '\\cJ',
  '\\-',
  '\\.',
  '\\141',
  '{',
  'é',
  '(?:)',
  '\\1',
  '\\2',
  '\\k<n>',
]
const repeats = ['*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}', '{0}']
const repeat = fc.constantFrom(...repeats, ...repeats.map((each) => `${each}?`))
const opening = fc.constantFrom('(', '(', '(?:', '(?=', '(?!', '(?<=', '(?<!')

/** Generates expressions with everything that JavaScript knows, except flags inside a group. */
const { expression: anyExpression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...characters, ...escapes),
    fc.tuple(fc.constantFrom(...characters), repeat).map((parts) => parts.join('')),
    fc.tuple(tie('expression'), tie('expression')).map((parts) => parts.join('')),
    fc.tuple(tie('expression'), tie('expression')).map(([left, right]) => `(?:${left}|${right})`),
    fc.tuple(opening, tie('expression')).map(([open, inner]) => `${open}${inner})`),
    fc.tuple(tie('expression'), repeat).map(([inner, count]) => `(${inner})${count}`),
    fc.tuple(tie('expression'), repeat).map(([inner, count]) => `(?:${inner})${count}`),
    tie('expression').map((inner) => `(?<n>${inner})`),
  ),
}))
const anyText = fc.string({ unit: fc.constantFrom(...'aabbc1 \né.{A😀'), maxLength: 8 })

/** Returns the expression if JavaScript accepts it. */
function toRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

function listMatches(matcher: Matcher): (string | undefined)[][] {
  const matches: (string | undefined)[][] = []
  while (matcher.findNext())
    matches.push([matcher.readText(matcher.start, matcher.end), ...matcher.readGroups()])
  return matches
}

test(
  'X-65 X-63 any expression finds what the platform’s own engine finds',
  () => {
    let run = 0
    fc.assert(
      fc.property(
        anyExpression,
        anyText,
        fc.constantFrom('', '', 'u', 'i', 'm', 's', 'iu'),
        (source, text, flags) => {
          const expression = toRegExp(source, `g${flags}`)
          // With the flag u, V8 also finds empty matches inside a character.
          if (!expression || (expression.unicode && text.includes('😀'))) return
          run++
          const program = compileProgram(parsePattern(expression), 100_000)
          const found = listMatches(new Matcher(program, text, flags.includes('u'), () => {}))
          expect(found).toEqual(Array.from(text.matchAll(expression), (match) => [...match]))
        },
      ),
      getFuzzParameters(40_000),
    )
    expect(run).toBeGreaterThan(0)
  },
  fuzzTimeout,
)

test.each([
  ['(?i:A)b', 'ab Ab aB', ['ab', 'Ab']],
  ['(?i:a(?-i:B))c', 'aBc ABc abc', ['aBc', 'ABc']],
  ['(?m:^)a$', 'a\na', ['a']],
  ['(?s:.)', '\n', ['\n']],
  ['(?<q>["\'])(.*?)\\k<q>', `"it's" 'x'`, [`"it's"`, `'x'`]],
  ['(?i:(a)\\1)', 'aA', ['aA']],
])('G-05 the expression %s finds in %j %j', (source, text, matches) => {
  const matcher = new Matcher(compileExpression(source), text, false, () => {})
  expect(listMatches(matcher).map(([match]) => match)).toEqual(matches)
})

/** The sum of the work of the steps of a program at one position; a run tries as many characters as it may. */
function getWeight({ steps }: PatternProgram): number {
  return steps
    .map(
      ({ max, depth, program }) =>
        (depth + 1) * (2 + (max === Infinity ? 1 : max)) + (program ? getWeight(program) : 0),
    )
    .reduce((sum, each) => sum + each, 0)
}

class TooMuchWorkError extends Error {}

/** Counts the work of finding every match, and stops it at a limit. No report may exceed the length of the text. */
function measureWork(program: PatternProgram, text: string, limit: number): number {
  let work = 0
  let largest = 0
  const matcher = new Matcher(program, text, false, (steps) => {
    work += steps
    largest = Math.max(largest, steps)
    if (work > limit) throw new TooMuchWorkError()
  })
  try {
    while (matcher.findNext());
  } catch (error) {
    if (!(error instanceof TooMuchWorkError)) throw error
  }
  expect(largest).toBeLessThan(3 * text.length + 200_000)
  return work
}

const isLinear = (source: string) => !/\\[12k]|\(\?<?[=!]/.test(source)
const hostile = fc.constantFrom(
  ...['a', 'ab', 'aab', 'a b', 'abc', 'é', 'a1', 'A{', '\n'].map((each) => each.repeat(2_000)),
)

test(
  'X-65 the work of an expression grows with the text, not faster, or it is stopped',
  () => {
    fc.assert(
      fc.property(
        fc.array(anyExpression, { minLength: 1, maxLength: 12 }),
        hostile,
        anyText,
        (parts, body, end) => {
          const source = `(x)?${parts.join('')}`.slice(0, 1_000)
          if (findExpressionProblem(source) !== undefined) return
          const program = compileExpression(source)
          const text = body + end
          const linear = 100_000 + 2 * getWeight(program) * (text.length + 1)
          const limit = isLinear(source) ? Infinity : linear
          expect(measureWork(program, text, limit)).toBeLessThan(isLinear(source) ? linear : linear + 300_000)
        },
      ),
      getFuzzParameters(2_000),
    )
  },
  fuzzTimeout,
)

test.each([
  '(a+)+b',
  '(a*a*a*a*)b',
  '(?:(a)|a|a)*b',
  '(x?|){40}b',
  '(?:(a?){0,9}){0,9}b',
  '(a+?)+?b',
  '(a)(?=[^]*z)',
])('X-65 the work of %s on a text of twice the length is twice as much', (source) => {
  const program = compileExpression(source)
  const measureLength = (length: number) => measureWork(program, 'a'.repeat(length), Infinity)
  expect(measureLength(20_000)).toBeLessThan(2.2 * measureLength(10_000))
})

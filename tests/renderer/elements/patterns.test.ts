import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSafePattern } from '../../../renderer/elements/frame/patterns/pattern.ts'
import { PatternError } from '../../../shared/patterns/parse.ts'
import { getRunCount } from '../../thorough.ts'

const usual: RegExp[] = [
  /^\d{3}-\d{2}-\d{4}$/,
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  /^(?=.*[A-Z])(?=.*\d)(?!.*\s).{4,}$/,
  /^\+?[\d\s().-]{3,20}$/u,
  /^(?:red|green|(?<last>b(l)ue))$/i,
  /\bword\b|\Bx/,
  /^\p{Lu}\p{Ll}*$/u,
  /^a{2,4}?b{2,}c{3}$/,
  /^[\]\\/[-]+$/,
  /a.c/s,
  /^x$/m,
  /😀+/u,
  /^.$/u,
  /^.$/,
  /\u{1F600}|\u0041|\x42|\cJ/u,
  /(\d{1,3}\.){3}\d{1,3}/,
  /^$|^-?\d+(?:\.\d{1,2})?$/,
  /{}|a{,3}/,
  /(a|b)?c|(d)/,
]
const texts = [
  ...[
    '',
    '123-45-6789',
    'jo@shop.test',
    'jo@shop',
    'Abc1',
    'abc1',
    'Abc 1',
    '+49 (30) 12-3',
    'GREEN',
    'blue',
    'bluer',
  ],
  ...[
    'a word',
    'sword',
    'xx',
    'Élan',
    'élan',
    'aabbccc',
    'aaaaabbccc',
    ']\\/[-',
    'a\nc',
    'abc',
    'y\nx\nz',
    '😀',
    'é',
  ],
  ...['A', 'B', '\n', '192.168.0.1', '-3.50', '3.505', '{}', 'a{,3}', 'bc', 'dc'],
]

test("patterns match what the browser's engine matches", () => {
  for (const pattern of usual) {
    for (const text of texts) {
      expect([pattern.source, text, createSafePattern(pattern).test(text)]).toEqual([
        pattern.source,
        text,
        new RegExp(pattern).test(text),
      ])
    }
  }
})

const atoms = ['a', 'b', '.', '\\d', '[ab]', '[^a]', '\\w', '^', '$', '\\b', '(?=a)', '(?!b)']
const texted = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' '), maxLength: 8 })

/** Generates patterns. Every repeated group starts with `repeated`. */
function anyPattern(repeated: string): fc.Arbitrary<string> {
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...atoms),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      tie('pattern').map((inner) => `(${inner})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '*?', '+?', '??'))
        .map(([inner, count]) => `(?:${repeated}${inner})${count}`),
    ),
  }))
  return pattern
}

/** Runs a check on the generated patterns that are accepted, which must be more than a quarter of them. */
function checkAll(repeated: string, check: (source: string, text: string) => void): void {
  const tries = getRunCount(2000)
  let run = 0
  fc.assert(
    fc.property(anyPattern(repeated), texted, (source, text) => {
      try {
        createSafePattern(new RegExp(source, 'u'))
      } catch (error) {
        expect(error).toBeInstanceOf(PatternError)
        return
      }
      run++
      check(source, text)
    }),
    tries,
  )
  expect(run).toBeGreaterThan(tries.numRuns / 4)
}

test("any pattern matches like the browser's engine or is rejected", () => {
  checkAll('', (source, text) => {
    expect(createSafePattern(new RegExp(source, 'u')).test(text)).toBe(new RegExp(source, 'u').test(text))
  })
})

// `repeated` is a character, because browsers choose other matches if one round of a repeat can be empty.
test("any pattern that repeats characters replaces text like the browser's engine", () => {
  checkAll('a', (source, text) => {
    expect(createSafePattern(new RegExp(source, 'u')).replace(text, '<$&|$1>')).toBe(
      text.replace(new RegExp(source, 'gu'), '<$&|$1>'),
    )
  })
})

test('a replacement refers to groups like in the browser', () => {
  const pattern = /(?<first>\d\d)(\d\d)?/
  for (const replacement of [
    '$1-$2',
    '$2$1',
    '$$',
    '$&$&',
    '$<first>.',
    '$<none>.',
    '$3 $01 $10 $0',
    '$',
    '$x',
  ]) {
    expect(createSafePattern(pattern).replace('1234 56', replacement)).toBe(
      '1234 56'.replace(new RegExp(pattern, 'gu'), replacement),
    )
  }
})

test('X-63 nested repeats, lookbehinds, backreferences and huge patterns are rejected', () => {
  const refused = [
    /^(a+)+$/,
    /(?:(?:\w*\s?)*)x/,
    /(?=(a*)*)b/,
    /(a)\1/,
    /(?<a>a)\k<a>/,
    /(?<=a)b/,
    /(?<!a)b/,
    /(?:(?:a?){1000}){1000}/,
    /a{100000}/,
    new RegExp('a'.repeat(1001)),
    /[a--b]/v,
  ]
  for (const pattern of refused)
    expect(() => createSafePattern(pattern), pattern.source).toThrow(PatternError)
})

test('X-63 patterns that would hang a browser stop at the step limit', () => {
  const slow: [RegExp, string][] = [
    [/^(?:a|a)*$/, `${'a'.repeat(4000)}b`],
    [/^(?:a|ab|b|ba|aba)*$/, `${'ab'.repeat(2000)}c`],
    [/a*a*a*a*a*a*a*a*a*a*b/, 'a'.repeat(4000)],
    [/^(?:a?){500}a{500}$/, 'a'.repeat(500)],
    [/^(?:a?b?){300}$/, `${'a'.repeat(500)}c`],
    [/(?=.*x.*y.*z.*w)a/, 'a'.repeat(4900)],
    [/(?:.{0,500}){2}x/, 'a'.repeat(4900)],
    [/a/, 'b'.repeat(1_000_000)],
  ]
  for (const [pattern, text] of slow) {
    const safe = createSafePattern(pattern)
    // Processor time is measured, because other load on the machine does not change it.
    const start = process.threadCpuUsage().user
    expect([pattern.source, safe.test(text)]).toEqual([pattern.source, text === 'a'.repeat(500)])
    safe.replace(text, 'x')
    expect([pattern.source, process.threadCpuUsage().user - start < 2_000_000]).toEqual([
      pattern.source,
      true,
    ])
  }
})

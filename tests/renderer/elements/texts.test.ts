import { expect, test } from 'vitest'
import { createTextRule } from '../../../renderer/elements/frame/field-rule.ts'
import { createSafePattern } from '../../../renderer/elements/frame/patterns/pattern.ts'
import {
  ConfigurationError,
  createSettings,
  updateSettings,
} from '../../../renderer/elements/frame/settings.ts'
import { createDeclarations, toSafeIconValue } from '../../../renderer/elements/frame/style.ts'
import type { Mask } from '../../../renderer/elements/frame/text/mask.ts'
import { parseTransform } from '../../../renderer/elements/frame/text/transform.ts'
import type { ElementOptions } from '../../../renderer/elements/protocol.ts'

const digit = createSafePattern(/\d/)
const phone: Mask = ['(', digit, digit, ')', ' ', digit, digit]
const abroad: Mask = ['+', '1', ' ', digit, digit]

function editText(mask: Mask, raw: string, deleting = false): string {
  const caret = raw.includes('|') ? raw.indexOf('|') : raw.length
  const shown = createTextRule(mask).applyEdit({
    raw: raw.replace('|', ''),
    caret,
    deleting,
    isReplacement: false,
  })
  return `${shown.text.slice(0, shown.caret)}|${shown.text.slice(shown.caret)}`
}

test('a mask inserts its fixed characters and drops input that does not fit', () => {
  expect(editText(phone, '1')).toBe('(1|')
  expect(editText(phone, '12')).toBe('(12) |')
  expect(editText(phone, '1x2y34567')).toBe('(12) 34|')
  expect(editText(phone, '(12) 3')).toBe('(12) 3|')
  expect(editText(phone, 'abc')).toBe('|')
  expect(editText(phone, '(12)', true)).toBe('(12)|')
  expect(editText(phone, '(1', true)).toBe('(1|')
  expect(editText(phone, '(', true)).toBe('|')
  expect(editText(phone, '(9|12) 3')).toBe('(9|1) 23')
  expect(editText(abroad, '25')).toBe('+1 25|')
  expect(editText(abroad, '+1 25')).toBe('+1 25|')
})

test('a mask is satisfied only by input of its full length', () => {
  const rule = createTextRule(phone, createSafePattern(/^\(1/))
  expect(rule.validate('')).toEqual({ maskSatisfied: false, valid: false, problem: 'incomplete' })
  expect(rule.validate('(12) 3')).toEqual({ maskSatisfied: false, valid: true, problem: 'incomplete' })
  expect(rule.validate('(12) 34')).toEqual({ maskSatisfied: true, valid: true, problem: null })
  expect(rule.validate('(22) 34')).toEqual({ maskSatisfied: true, valid: false, problem: 'invalid' })
  expect(createTextRule().validate('')).toEqual({ maskSatisfied: true, valid: true, problem: null })
  expect(
    createTextRule(undefined, undefined, 3).applyEdit({
      raw: 'abcd',
      caret: 4,
      deleting: false,
      isReplacement: true,
    }),
  ).toEqual({
    text: 'abc',
    caret: 3,
  })
})

test("a transform ignores its pattern's flags and replaces every match", () => {
  const applyTransform = (option: unknown, text: string) => {
    const { pattern, replacement } = parseTransform(option) ?? {}
    return pattern?.replace(text, replacement ?? '')
  }
  expect(applyTransform(/[()\s]/i, '(12) 34')).toBe('1234')
  expect(applyTransform([/A/i], 'aA')).toBe('a')
  expect(applyTransform([/(\d)-(\d)/, '$2$1'], '1-2 3-4')).toBe('21 43')
  expect(parseTransform(null)).toBeUndefined()
  for (const wrong of ['x', [], ['a'], [/a/, 1], [/a/, 'b', 'c']])
    expect(() => parseTransform(wrong)).toThrow(TypeError)
})

/** This is valid in a pattern without the flag u, and invalid with it. */
const needlesslyEscaped = '\\-'

function getError(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
  }
  return ''
}

test('X-63 element options that conflict or have unsafe patterns are rejected', () => {
  const getTextError = (options: object) =>
    getError(() => createSettings('text', { targetId: 't', ...options } as ElementOptions))
  expect(getTextError({})).toBe('')
  expect(getTextError({ mask: [/(a+)+/] })).toMatch(/mask.*not safe/)
  expect(getTextError({ validation: /^(a*)*$/ })).toMatch(/validation.*not safe/)
  expect(getTextError({ transform: /(a+)+/ })).toMatch(/transform.*not safe/)
  expect(getTextError({ transform: new RegExp(needlesslyEscaped) })).toMatch(/transform.*flag u/)
  expect(getTextError({ validation: new RegExp(needlesslyEscaped) })).toBe('')
  expect(getTextError({ mask: ['ab'] })).toMatch(/mask/)
  expect(getTextError({ mask: Array(501).fill('a') })).toMatch(/mask/)
  expect(getTextError({ mask: [/a/], password: true })).toMatch(/together/)
  expect(getTextError({ targetId: undefined })).toMatch(/targetId/)
  const getCardError = (options: object) => getError(() => createSettings('card', options as ElementOptions))
  const visa = {
    niceType: 'V',
    type: 'v',
    patterns: [4],
    gaps: [4],
    lengths: [16],
    code: { name: 'C', size: 3 },
  }
  expect(getCardError({ cardTypes: [visa] })).toBe('')
  expect(getCardError({ cardTypes: [visa, visa] })).toMatch(/more than once/)
  expect(getCardError({ cardTypes: [{ ...visa, lengths: [1e9] }] })).toMatch(/card types/)
  // SECURITY: with longer patterns, the brand would reveal more of a number than its first digits.
  const getPatternsError = (each: unknown, lengths = [16]) =>
    getCardError({ cardTypes: [{ ...visa, patterns: [each], lengths }] })
  expect(getPatternsError(63737423)).toBe('')
  for (const each of [637374231, [4, 424242421], 1e15])
    expect(getPatternsError(each), `X-63 ${each}`).toMatch(/8/)
  expect(getPatternsError(637374, [15])).toBe('')
  expect(getPatternsError(63737423, [15, 16])).toMatch(/6 digits/)
  const createTypes = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...visa, type: `t${at}` }))
  expect(getCardError({ cardTypes: createTypes(100) })).toBe('')
  expect(getCardError({ cardTypes: createTypes(101) })).toMatch(/100/)
  expect(getCardError({ cardTypes: [{ ...visa, patterns: Array(1001).fill(4) }] })).toMatch(/card types/)
  expect(getCardError({ cardTypes: [{ ...visa, lengths: Array(51).fill(16) }] })).toMatch(/card types/)
  expect(getTextError({ transform: [/a/, 'x'.repeat(1001)] })).toMatch(/transform.*too long/)
  expect(getCardError({ coBadgedSupport: ['visa'] })).toMatch(/coBadgedSupport/)
})

test('X-63 masks and transforms limit the length of their result', () => {
  const tries = { count: 0 }
  const slot = {
    test: () => {
      tries.count++
      return false
    },
    replace: () => undefined,
  }
  const raw = 'x'.repeat(1_000_000)
  expect(createTextRule([slot]).applyEdit({ raw, caret: 0, deleting: false, isReplacement: true }).text).toBe(
    '',
  )
  expect(tries.count).toBeLessThan(20_000)
  const { pattern, replacement } = parseTransform([/(?:)/, 'y'.repeat(1000)]) ?? {}
  expect(pattern?.replace('x'.repeat(4000), replacement ?? '')).toBeUndefined()
  expect(pattern?.replace('ab', '-')).toBe('-a-b-')
})

test('an update of an element merges options, ignores fixed ones and restores defaults', () => {
  const before = createSettings('text', {
    targetId: 't',
    mask: ['a'],
    placeholder: 'A',
    validateOnChange: true,
  })
  const { options, mask } = updateSettings('text', before, {
    targetId: 'u',
    mask: [/b/],
    placeholder: undefined,
    validateOnChange: false,
    disabled: true,
  })
  expect(options).toMatchObject({ targetId: 't', validateOnChange: true, disabled: true })
  expect([options.placeholder, mask]).toEqual([undefined, ['a']])
})

test('X-63 styles set only listed properties with harmless values', () => {
  const toCss = (style: unknown, isButton = false) =>
    createDeclarations(style, isButton).map(
      ({ selector, property, value }) => `${selector}{${property}:${value}}`,
    )
  expect(
    toCss({
      fonts: ['https://fonts.test/a.css'],
      base: {
        color: 'red',
        fontSize: 16,
        lineHeight: 1.5,
        ':hover': { color: 'blue' },
        '::placeholder': { color: '#999' },
      },
      complete: { color: 'green' },
      invalid: { ':focus': { textDecoration: 'underline' } },
      container: { padding: '4px 8px' },
    }),
  ).toEqual([
    '.container{color:red}',
    '.container{padding:4px 8px}',
    '.field{color:red}',
    '.field{font-size:16px}',
    '.field{line-height:1.5}',
    '.field:hover{color:blue}',
    '.field::placeholder{color:#999}',
    '.field.complete{color:green}',
    '.field.invalid:focus{text-decoration:underline}',
  ])
  expect(toCss({ base: { fontSmooth: 'antialiased' } })).toEqual([
    '.field{-webkit-font-smoothing:antialiased}',
    '.field{-moz-osx-font-smoothing:antialiased}',
  ])
  const hostile = {
    color: 'red;background:url(//evil.test)',
    backgroundColor: 'image-set("//evil.test/a" 1x)',
    fontFamily: 'a}@import "//evil.test"',
    padding: 'attr(value px)',
    textShadow: 'u\\72l(//evil.test)',
    lineHeight: 'normal',
    position: 'fixed',
    content: '"x"',
    background: 'red',
    ':has(input[value^="4"])': { color: 'red' },
    '::before': { content: '"x"' },
    fontSize: { toString: 'x' },
    fontWeight: Number.NaN,
  }
  expect(toCss({ base: hostile, '} body {': { color: 'red' }, evil: { color: 'red' } })).toEqual([])
  expect(toCss(null)).toEqual([])
  expect(toCss('x')).toEqual([])
  expect(
    toCss({ base: { cursor: 'pointer', position: 'fixed', ':active': { opacity: 0.5 } } }, true),
  ).toEqual(['.field{cursor:pointer}', '.field:active{opacity:0.5}'])
  expect([
    toSafeIconValue('20px'),
    toSafeIconValue('url(x)'),
    toSafeIconValue(20),
    toSafeIconValue(undefined),
  ]).toEqual(['20px', undefined, '20px', undefined])
})

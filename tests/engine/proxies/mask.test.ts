import { expect, test } from 'vitest'
import { maskByExpression, maskCardNumbers } from '../../../electron/engine/proxies/mask.ts'

test.each([
  ['"accountNumber":\\s*"(.*?)"', '"accountNumber": "56834512"', '"accountNumber": "********"'],
  ['^(aa).*?$', 'aabbccaabbccaa', '**bbcc**bbcc**'],
  ['(?<pan>\\d{4})-(\\d{4})', 'a 1234-5678 1234 b', 'a ****-**** 1234 b'],
  ['(x)?y', 'xy y', '*y y'],
  ['nothing (here)', 'a body', 'a body'],
])('G-05 the mask %s on %s gives %s', (expression, body, expected) => {
  expect(maskByExpression(body, expression, '*')).toBe(expected)
})

test('X-48 a mask that never ends is stopped', () => {
  expect(() => maskByExpression(`${'a'.repeat(60)}b`, '^(a+)+$', '*')).toThrow('takes too long')
  expect(maskByExpression('ab', '(a)', '*')).toBe('*b')
})

test('G-05 card numbers are masked, other digits are not', () => {
  expect(maskCardNumbers('pan=4242424242424242;id=4242424242424241;n=12', 'X')).toBe(
    `pan=${'X'.repeat(16)};id=4242424242424241;n=12`,
  )
})

import { expect, test } from 'vitest'
import { maskByExpression, maskCardNumbers } from '../../../electron/engine/proxies/mask.ts'
import { openBriefVault, problemOf } from '../../vault.ts'

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

test('X-48 a list of masks that take long ends before the last of them', async () => {
  const { owner, application, engine } = openBriefVault()
  const { key } = await application({ permissions: ['proxy:invoke'] })
  const mask = { type: 'mask', matcher: 'regex', expression: '^(a+)+$', replacement: '*' } as const
  const transforms = Array(20).fill(mask)
  const { id } = await owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    response_transforms: transforms,
  })
  const message = { headers: [], body: Buffer.from(`${'a'.repeat(21)}b`) }
  const state = { message, shown: { headers: [], body: '' }, secrets: [], made: {} }
  const step = { proxy_id: id, side: 'response', transforms, before: 0, state }
  const call = engine.call('proxies.transform', step, { kind: 'key', key })
  expect(await problemOf(call)).toMatchObject({ status: 422 })
})

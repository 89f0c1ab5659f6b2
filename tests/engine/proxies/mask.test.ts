import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskByExpression, maskCardNumbers } from '../../../electron/engine/resources/proxies/mask.ts'
import { findExpressionProblem } from '../../../shared/regular-expression.ts'
import { fuzzTimeout, getFuzzParameters } from '../../fuzz.ts'
import { getMaxBlock, measureLongestBlock } from '../../longest-block.ts'
import { catchProblem, openBriefVault } from '../../vault.ts'

const getTimeLeft = () => 50

test.each([
  ['"accountNumber":\\s*"(.*?)"', '"accountNumber": "56834512"', '"accountNumber": "********"'],
  ['^(aa).*?$', 'aabbccaabbccaa', '**bbcc**bbcc**'],
  ['(?<pan>\\d{4})-(\\d{4})', 'a 1234-5678 1234 b', 'a ****-**** 1234 b'],
  ['(x)?y', 'xy y', '*y y'],
  ['nothing (here)', 'a body', 'a body'],
])('G-05 the mask %s on %s gives %s', (expression, body, expected) => {
  expect(maskByExpression(body, expression, '*', getTimeLeft)).toBe(expected)
})

test.each([
  ['^(a+)+$', `${'a'.repeat(10_000)}b`],
  ['(x?|){40}\\b', ' '.repeat(1_000)],
  ['(\\w+\\s?)*$', `${'word '.repeat(1_000)}!`],
  ['(a)(?=[^]*z)', 'a'.repeat(10_000)],
])('X-48 X-65 the mask %s, which backtracks for ever in other engines, terminates', (expression, body) => {
  let readings = 0
  expect(maskByExpression(body, expression, '*', () => 1_000 - readings++)).toBe(body)
})

// What a group matched decides whether a later part matches, so no attempt can be skipped.
test('X-48 X-65 a mask with a backreference that would never terminate is stopped', () => {
  let readings = 0
  const runMask = () => maskByExpression('a'.repeat(60), '^(a+)+\\1b', '*', () => 10 - readings++)
  expect(runMask).toThrow('takes too long')
  expect(readings).toBe(11)
  expect(maskByExpression('ab', '(a)', '*', getTimeLeft)).toBe('*b')
})

test('X-65 G-05 a mask’s expression is checked without running it', async () => {
  const { owner } = openBriefVault()
  const createProxy = (expression: string) =>
    owner.proxies.create({
      name: 'p',
      destination_url: 'https://echo.coffer.test',
      response_transforms: [{ type: 'mask', matcher: 'regex', expression, replacement: '*' }],
    })
  await createProxy('(x)')
  // On an empty string, this expression would run for seconds, and with forty groups it would never end.
  const { block } = await measureLongestBlock(() => createProxy('(x?|){24}\\b'))
  expect(block).toBeLessThan(getMaxBlock(block, 50))
})

test.each([
  ['', 'must have a capture group'],
  ['a', 'must have a capture group'],
  ['(?:a)[(]\\((?=b)(?!c)(?<=d)(?<!e)', 'must have a capture group'],
  ['[^\\](](a)]', undefined],
  ['(?<name>a)', undefined],
  ['((a)', 'is not a regular expression'],
  ['a)(', 'is not a regular expression'],
  ['(a)(?:bc|d){2000}', 'must not repeat groups that often. Use smaller counts'],
  ['(a)b{2000}', undefined],
  [`${'('.repeat(11)}${')'.repeat(11)}`, 'must not nest groups more than 10 levels deep'],
  [`${'('.repeat(10)}${')'.repeat(10)}`, undefined],
  ['(?:a)'.repeat(101), 'must not have more than 100 groups'],
  ['(a)'.repeat(100), undefined],
  ['('.repeat(1001), 'must have at most 1,000 characters'],
])('X-65 G-05 findExpressionProblem(%j) returns %s', (expression, problem) => {
  expect(findExpressionProblem(expression)).toBe(problem)
})

const piece = fc.constantFrom(
  ...[
    '(',
    ')',
    '(?:',
    '(?=',
    '(?<n>',
    '(?<!',
    '[',
    ']',
    '[^',
    '\\',
    '\\(',
    '|',
    '?',
    '*',
    '{2,9}',
    'a',
    '.',
    '\\b',
  ],
)

test(
  'X-65 G-05 findExpressionProblem counts groups as JavaScript does',
  () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const expression = pieces.join('')
        let groups: number | undefined
        try {
          // The empty alternative comes first and matches, so the expression itself is never run.
          groups = (new RegExp(`|${expression}`).exec('')?.length ?? 1) - 1
        } catch {}
        const problem = findExpressionProblem(expression)
        if (problem?.startsWith('must not')) return
        const expected =
          groups === undefined
            ? 'is not a regular expression'
            : groups === 0
              ? 'must have a capture group'
              : undefined
        expect(problem).toBe(expected)
      }),
      getFuzzParameters(20_000),
    )
  },
  fuzzTimeout,
)

test('G-05 card numbers are masked, other digits are kept', () => {
  expect(maskCardNumbers('pan=4242424242424242;id=4242424242424241;n=12', 'X')).toBe(
    `pan=${'X'.repeat(16)};id=4242424242424241;n=12`,
  )
})

test.each([1, 20])('X-48 X-65 %i masks of one call share 30 ms', async (count) => {
  const { owner, application, engine } = openBriefVault()
  const { key } = await application({ permissions: ['proxy:invoke'] })
  const mask = { type: 'mask', matcher: 'regex', expression: '^(a+)+\\1b', replacement: '*' } as const
  const transforms = Array(count).fill(mask)
  const { id } = await owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    response_transforms: transforms,
  })
  const runTransform = (length: number, spent?: number) => {
    const message = { headers: [], body: Buffer.from('a'.repeat(length)) }
    const state = { message, shown: { headers: [], body: '' }, secrets: [], made: {}, spent }
    const step = { proxy_id: id, side: 'response', transforms, before: 0, state }
    return engine.call('proxies.transform', step, { kind: 'key', key })
  }
  await runTransform(2)
  // A single one of the twenty masks would finish within the time.
  const { result, block } = await measureLongestBlock(() => catchProblem(runTransform(count === 1 ? 60 : 21)))
  expect(result).toMatchObject({ status: 422 })
  expect(block).toBeLessThan(getMaxBlock(block, 50))
  expect((await runTransform(2)).output).toMatchObject({ spent: expect.any(Number) })
  expect(await catchProblem(runTransform(2, 30))).toMatchObject({ status: 422 })
})

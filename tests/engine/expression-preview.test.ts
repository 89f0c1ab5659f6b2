import { expect, test } from 'vitest'
import { catchProblem, openBriefVault } from '../vault.ts'

test('E-08 a preview evaluates an expression over sample data, and names the result type', async () => {
  const { owner } = openBriefVault()
  const data = { number: '4242424242424242', tags: ['a', 'b'] }
  expect(await owner.expressions.preview({ template: '{{ data.number | reveal_last: 4 }}', data })).toEqual({
    result: 'XXXXXXXXXXXX4242',
    type: 'string',
  })
  expect(await owner.expressions.preview({ template: '{{ data.tags }}', data })).toEqual({
    result: ['a', 'b'],
    type: 'array',
  })
  expect(await owner.expressions.preview({ template: { n: '{{ data.none }}' }, data })).toEqual({
    result: { n: null },
    type: 'object',
  })
  const problem = await catchProblem(owner.expressions.preview({ template: '{{ data | nosuch }}', data }))
  expect(problem.errors).toHaveProperty('expression')
})

test('a preview shows a token without creating it', async () => {
  const { owner } = openBriefVault()
  const seen = await owner.expressions.previewToken({
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
    id: '{{ data.number | card_bin }}-x',
    search_indexes: ['{{ data.number | last4 }}'],
  })
  expect(seen).toMatchObject({
    errors: {},
    container: '/pci/high/',
    containers: ['/pci/high/'],
    id: '42424242-x',
    masked: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030 },
    fingerprint_expression: '{{ data.number }}',
    fingerprinted: '4242424242424242',
    index_values: ['4242'],
    card: { brand: 'visa', last4: '4242' },
  })
  expect((await owner.stats.tokens()).total).toBe(0)
})

test('a preview lists every invalid field, and still evaluates the others', async () => {
  const { owner } = openBriefVault()
  const seen = await owner.expressions.previewToken({
    type: 'card',
    data: { number: '4242424242424241' },
    metadata: { a: 'b' },
    expires_at: 'tomorrow',
  })
  expect(Object.keys(seen.errors).sort()).toEqual(['data.number', 'expires_at'])
  expect(seen.masked).toEqual({ number: 'XXXXXXXXXXXX4241' })
  const none = await owner.expressions.previewToken({})
  expect(Object.keys(none.errors).sort()).toEqual(['data', 'type'])
})

test('a preview reports a taken id as an error of the id field', async () => {
  const { owner } = openBriefVault()
  await owner.tokens.create({ id: 'taken', type: 'token', data: 1 })
  const seen = await owner.expressions.previewToken({ id: 'taken', type: 'token', data: 2 })
  expect(Object.keys(seen.errors)).toEqual(['id'])
})

test('a preview leaves no log record, and is for the owner only', async () => {
  const vault = openBriefVault()
  await vault.owner.expressions.preview({ template: '{{ data }}', data: 'x' })
  await vault.owner.expressions.previewToken({ type: 'token', data: 'x' })
  const { data } = await vault.owner.logs.list()
  expect(data).toEqual([])
  const { client } = await vault.application({ permissions: ['token:create'] })
  expect((await catchProblem(client.expressions.filters())).status).toBe(403)
})

test('E-02 the list of filters has every filter with an example', async () => {
  const { owner } = openBriefVault()
  const filters = await owner.expressions.filters()
  expect(new Set(filters.map(({ filter }) => filter)).size).toBeGreaterThan(30)
  for (const { expression, random, data, result } of filters.filter((each) => !each.random).slice(0, 5)) {
    expect([random, (await owner.expressions.preview({ template: expression, data })).result]).toEqual([
      false,
      result,
    ])
  }
})

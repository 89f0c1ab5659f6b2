import { expect, test } from 'vitest'
import { readJson } from '../../shared/json.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

test('T-07 creation rejects a mask that fails on the data, and names its member', async () => {
  const { owner } = openBriefVault()
  const problem = await catchProblem(
    owner.tokens.create({ type: 'token', data: { a: 1 }, mask: { x: "{{ data | json: '$.b' }}" } }),
  )
  expect(problem.status).toBe(400)
  expect(Object.keys(problem.errors ?? {})).toEqual(['mask.x'])
})

test('P-08 a list still includes a token whose mask needs a deleted cvc', async () => {
  const { owner, clock } = openBriefVault()
  const mask = { cvc: "{{ data | json: '$.cvc' }}" }
  const { id } = await owner.tokens.create({
    type: 'card',
    data: { number: '4242424242424242', cvc: '123' },
    mask,
  })
  clock.advance(2 * 3600_000)
  await owner.tokens.update({ id, data: { cvc: null } }).catch(() => undefined)
  const { data } = await owner.tokens.list({})
  expect(data.map((token) => token.id)).toEqual([id])
})

test.each([5, 0, true, false, ''])('T-07 a mask may be the primitive value %j', async (mask) => {
  const { owner, application } = openBriefVault()
  const { id, ...made } = await owner.tokens.create({ type: 'token', data: 'secret', mask })
  expect([made.mask, made.data]).toEqual([mask, mask])
  const reader = await application({ permissions: ['token:read'] })
  expect(await reader.client.tokens.get({ id })).toMatchObject({ mask, data: mask })
  const [exported] = (await owner.tokens.exportMany({})).tokens
  expect(exported).toMatchObject({ id, mask, data: mask })
  expect(await owner.tokens.update({ id, mask: { a: '{{ data }}' } })).toMatchObject({
    mask: { a: '{{ data }}' },
  })
  expect(await owner.tokens.update({ id, mask })).toMatchObject({ mask })
  expect(await owner.tokens.update({ id, mask: null })).not.toHaveProperty('mask')
})

test('T-07 tokenize takes a mask that is a number, as it was written', async () => {
  const { owner } = openBriefVault()
  const card = { type: 'card_number', data: '4242424242424242', mask: readJson('1.0') }
  const { card: made } = (await owner.tokens.tokenize({ payload: { card } })) as { card: Token }
  expect(JSON.stringify(made.mask)).toBe('1.0')
})

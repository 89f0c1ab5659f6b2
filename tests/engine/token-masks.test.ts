import { expect, test } from 'vitest'
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

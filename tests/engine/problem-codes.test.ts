import { expect, test } from 'vitest'
import { CofferError, errorCodes, fromProblem, statusOf, toProblem } from '../../shared/errors.ts'
import { openVault, problemOf } from '../vault.ts'

test('A-05 every error keeps its code across a transport, also where a status is shared', () => {
  for (const code of errorCodes) {
    const problem = toProblem(new CofferError(code, 'A sentence.', { errors: { name: ['is required'] } }))
    expect(problem).toMatchObject({ status: statusOf[code], code, detail: 'A sentence.' })
    const error = fromProblem(structuredClone(problem))
    expect([error.code, error.message, error.errors]).toEqual([
      code,
      'A sentence.',
      { name: ['is required'] },
    ])
  }
})

test.each([
  [409, 'conflict'],
  [500, 'internal'],
  [418, 'invalid'],
  [502, 'internal'],
])('A-05 a problem of %i without a code that is known has that of its status: %s', (status, code) => {
  const problem = { title: 'Elsewhere', status, detail: 'No.' }
  expect(fromProblem(problem as never).code).toBe(code)
  expect(fromProblem({ ...problem, code: 'constructor' } as never).code).toBe(code)
})

test('A-05 A-12 a request that is still being answered is told from one that can never be', async () => {
  const { application, engine, owner } = openVault()
  const { key } = await application({ permissions: ['token:create'] })
  const made = () =>
    engine.call(
      'tokens.create',
      { type: 'token', data: 1, id: 'chosen' },
      { kind: 'key', key },
      { idempotency: { key: 'once', method: 'POST', path: '/tokens' } },
    )
  const [first, second] = await Promise.allSettled([made(), made()])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'in_flight', status: 409 } })
  expect(await problemOf(owner.tokens.create({ type: 'token', data: 1, id: 'chosen' }))).toMatchObject({
    status: 409,
    code: 'conflict',
  })
})

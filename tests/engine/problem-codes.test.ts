import { expect, test } from 'vitest'
import { CofferError, errorCodes, fromProblem, statusOf, toProblem } from '../../shared/errors.ts'

test('A-05 an error sent as problem details keeps its code and retry_after', () => {
  for (const code of errorCodes) {
    const problem = toProblem(
      new CofferError(code, 'A sentence.', { errors: { name: ['is required'] }, retry_after: 7 }),
    )
    expect(problem).toMatchObject({ status: statusOf[code], code, detail: 'A sentence.' })
    const error = fromProblem(structuredClone(problem))
    expect([error.code, error.message, error.errors, error.retry_after]).toEqual([
      code,
      'A sentence.',
      { name: ['is required'] },
      7,
    ])
  }
})

test.each([
  [409, 'conflict'],
  [500, 'internal'],
  [418, 'invalid'],
  [502, 'bad_gateway'],
])('A-05 a problem of status %i with an unknown code becomes %s', (status, code) => {
  const problem = { title: 'Elsewhere', status, detail: 'No.' }
  expect(fromProblem(problem as never).code).toBe(code)
  expect(fromProblem({ ...problem, code: 'constructor' } as never).code).toBe(code)
})

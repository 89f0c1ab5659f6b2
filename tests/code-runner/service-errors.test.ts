import { expect, test } from 'vitest'
import { createRun, getReturnValue, startPool } from './start-pool.ts'

const load = "const errors = require('@basis-theory/basis-theory-reactor-formulas-sdk-js')\n"

function throwIn(statement: string) {
  return createRun(`${load}module.exports = () => { throw ${statement} }`)
}

test('F-04 code can require the error classes of the service, without adding a package', async () => {
  const pool = startPool()
  const code = `${load}module.exports = () => Object.keys(errors).map((name) => {
    if (name.startsWith('Custom')) return [name, typeof errors[name]]
    const error = new errors[name]('why')
    return [name, error.name, error.status, error.message, error.toRFC7807(), error instanceof Error]
  })`
  const describeClass = (name: string, status: number, detail: string) => [
    name,
    ...[name, status, detail, { detail, status, errors: { error: ['why'] } }, true],
  ]
  expect(getReturnValue(await pool.run(createRun(code)))).toEqual([
    describeClass('BadRequestError', 400, 'Bad Request'),
    describeClass('AuthenticationError', 401, 'Authentication Failed'),
    describeClass('InvalidPaymentMethodError', 402, 'Invalid Payment Method'),
    describeClass('AuthorizationError', 403, 'Forbidden'),
    describeClass('RateLimitError', 429, 'Rate Limit Exceeded'),
    describeClass('ReactorRuntimeError', 500, 'Reactor Runtime Error'),
    describeClass('ServiceUnavailableError', 503, 'Service Unavailable'),
    describeClass('InvalidReactorConfigurationError', 400, 'Invalid Reactor Configuration'),
    describeClass('InvalidReactorFormulaError', 422, 'Invalid Reactor Formula'),
    ['CustomHttpResponseError', 'function'],
    ['CustomHttpResponse', 'function'],
  ])
})

const nothing = 'Something went wrong. Please try again.'

test.each<[argument: string, errors: object]>([
  ['"text"', { error: ['text'] }],
  ['["a", "b"]', { error: ['a', 'b'] }],
  [
    '{ a: ["x", { y: 1 }], b: { c: 2 }, d: 7, e: "" }',
    { a: ['x', '{"y":1}'], b: ['{"c":2}'], d: ['7'], e: [nothing] },
  ],
  ['new Error("why")', { error: ['why'] }],
  ['5', { error: ['5'] }],
  ['', { error: [nothing] }],
])('F-04 the errors of BadRequestError(%s) are %j', async (argument, errors) => {
  const { ended } = await startPool().run(throwIn(`new errors.BadRequestError(${argument})`))
  expect(ended).toMatchObject({ kind: 'thrown', status: 400, detail: 'Bad Request', errors })
})

test.each(['CustomHttpResponseError', 'CustomHttpResponse'])(
  'F-04 %s is the exact response',
  async (name) => {
    const pool = startPool()
    const response = '{ status: 201, headers: { a: "b" }, body: { c: 1 } }'
    const { ended } = await pool.run(throwIn(`new errors.${name}(${response})`))
    expect(ended).toEqual({ kind: 'response', status: 201, headers: { a: 'b' }, body: '{"c":1}' })
    const bare = createRun(
      `${load}module.exports = () => new errors.${name}({ status: 204 }).toResponseBody()`,
    )
    expect(getReturnValue(await pool.run(bare))).toEqual({ status: 204, headers: {}, body: {} })
    for (const status of ['"200"', 99, 600, 200.5]) {
      const { ended: refused } = await pool.run(throwIn(`new errors.${name}({ status: ${status} })`))
      expect(refused).toMatchObject({ status: 500, errors: { error: ['status is not a valid integer'] } })
    }
  },
)

test('F-04 a CustomHttpResponse of the code’s own copy of the classes is recognized by its name', async () => {
  const { ended } = await startPool().run(
    createRun(`class CustomHttpResponse extends Error {
      constructor(data) { super('answer'); this.name = 'CustomHttpResponse'; Object.assign(this, data) }
    }
    module.exports = () => { throw new CustomHttpResponse({ status: 418, body: 'tea' }) }`),
  )
  expect(ended).toEqual({ kind: 'response', status: 418, headers: {}, body: 'tea' })
})

import { expect, test } from 'vitest'
import type { CodeRun, Contract } from '../../electron/code-runner/run.ts'
import { createRun, getReturnValue, startPool } from './start-pool.ts'

const node22: Contract = { image: 'node22', role: 'reactor' }
const application = { apiKey: 'key_one', environment: 'http://localhost:1' }

/** Starts a pool and returns a function that runs code by a contract and returns how the run ended. */
function startContract(contract: Contract) {
  const pool = startPool()
  return (code: string, more: Partial<CodeRun> = {}) =>
    pool.run(createRun(`module.exports = ${code}`, { contract, ...more }))
}

test('F-03 node22 code gets an event, and its res is the response', async () => {
  const run = startContract(node22)
  const code = `async (event) => {
    const { req, configuration, logger, applicationOptions } = event
    logger.info('hello', { a: 1 }); logger.warn('careful'); logger.error(new Error('why').message)
    console.log('plain')
    return { res: { body: [Object.keys(event), req, configuration, applicationOptions], headers: { 'X-H': '1' }, statusCode: 201 } }
  }`
  const configuration = { A: 'b' }
  const { ended, console } = await run(code, { args: '["body"]', configuration, application })
  expect(ended).toEqual({
    kind: 'response',
    status: 201,
    headers: { 'X-H': '1' },
    body: JSON.stringify([
      ['req', 'configuration', 'logger', 'applicationOptions'],
      ['body'],
      configuration,
      { ...application, baseUrl: application.environment },
    ]),
  })
  expect(console).toBe('INFO hello { a: 1 }\nWARN careful\nERROR why\nplain\n')
  const without = await run('(event) => ({ res: { body: Object.keys(event) } })')
  expect(without.ended).toMatchObject({ body: '["req","configuration","logger"]' })
})

test('F-03 node22 fills in what res omits', async () => {
  const run = startContract(node22)
  const runRes = async (res: string) => (await run(`() => ({ res: ${res} })`)).ended
  const text = { 'Content-Type': 'text/plain; charset=utf-8' }
  expect(await runRes('{}')).toEqual({ kind: 'response', status: 200, headers: {}, body: '' })
  expect(await runRes('{ body: null, statusCode: 204 }')).toMatchObject({ status: 204, body: '' })
  expect(await runRes('{ body: 0 }')).toMatchObject({ body: '0', headers: {} })
  expect(await runRes('{ body: "text" }')).toMatchObject({ body: 'text', headers: text })
  const stream = { 'content-type': 'text/event-stream' }
  expect(await runRes(`{ body: 'data: 1', headers: ${JSON.stringify(stream)} }`)).toMatchObject({
    body: 'data: 1',
    headers: stream,
  })
  // JSON.stringify decides how values are written that JSON does not have.
  const values =
    '[Buffer.from("a"), new Uint8Array([37]), new Date(0), new Map([[1, 2]]), undefined, () => 1, NaN]'
  expect(await runRes(`{ body: ${values} }`)).toMatchObject({
    body: '[{"type":"Buffer","data":[97]},{"0":37},"1970-01-01T00:00:00.000Z",{},null,null,null]',
  })
})

test('F-03 node22 code that returns no valid res fails with 502 and a sentence that says what to return', async () => {
  const run = startContract(node22)
  const sentence =
    'This code runs in node22, so it must return { res: { body, headers, statusCode } }. If it is meant for node-bt, set runtime.image to node-bt.'
  for (const result of ['undefined', 'null', '{}', '5', '[]', '{ raw: 1 }', '{ body: 1 }', '{ res: 1 }']) {
    expect((await run(`() => (${result})`)).ended, result).toMatchObject({
      kind: 'thrown',
      status: 502,
      errors: { error: [sentence] },
    })
  }
  for (const status of ['99', '199', '600', '200.5', '"200"', 'null']) {
    expect((await run(`() => ({ res: { statusCode: ${status} } })`)).ended, status).toMatchObject({
      status: 502,
      errors: { error: ['res.statusCode must be an integer from 200 to 599.'] },
    })
  }
})

test('F-03 an error in node22 is a 502 with the message, whatever was thrown', async () => {
  const run = startContract(node22)
  const throwIn = async (thrown: string) => (await run(`() => {\n  throw ${thrown}\n}`)).ended
  expect(await throwIn('new Error("why")')).toMatchObject({
    kind: 'thrown',
    status: 502,
    errors: { error: ['why'] },
    at: { line: 2 },
  })
  const hint =
    'In node22, a CustomHttpResponseError does not set the response. Return { res: { body, headers, statusCode } }.'
  const custom = '{ name: "CustomHttpResponseError", message: "own", status: 418 }'
  expect(await throwIn(custom)).toMatchObject({ status: 502, errors: { error: ['own', hint] } })
  expect(await throwIn('{ get message() { throw 1 } }')).toMatchObject({ kind: 'thrown', status: 502 })
  const escaped = await run('() => new Promise(() => setTimeout(() => { throw new Error("later") }))')
  expect(escaped.ended).toMatchObject({ status: 502, errors: { error: ['later'] } })
  expect((await run('({ req }) => ({ res: { body: 1n } })')).ended).toMatchObject({
    status: 502,
    errors: { error: ['Do not know how to serialize a BigInt'] },
  })
  // Code that is not a function is the same error in both runtimes (rule F-01).
  expect((await run('{}')).ended).toMatchObject({ status: 422, detail: 'Invalid Reactor Formula' })
})

test('F-03 code for the other runtime is told so', async () => {
  const older = startContract({ image: 'node-bt', role: 'reactor' })
  const newer = startContract(node22)
  const nameOther = (image: string) => `If it is meant for ${image}, set runtime.image to ${image}.`
  expect((await older('(event) => event.req.args')).ended).toMatchObject({
    status: 500,
    errors: {
      error: [
        "Cannot read properties of undefined (reading 'args')",
        `The code reads req, which only node22 passes, but it runs in node-bt. ${nameOther('node22')}`,
      ],
    },
  })
  expect((await older('() => ({ res: { body: 1 } })')).ended).toMatchObject({
    status: 422,
    errors: {
      error: [`This code runs in node-bt, so it must return { raw, tokenize }. ${nameOther('node22')}`],
    },
  })
  expect((await newer('({ args }) => ({ raw: args.a })')).ended).toMatchObject({
    status: 502,
    errors: { error: [expect.any(String), expect.stringContaining('reads args, which only node-bt passes')] },
  })
  const other = await older('() => ({ answer: 42 })')
  expect(getReturnValue(other)).toEqual({ answer: 42 })
  expect(other.console).toBe('node-bt returns only { raw, tokenize } to the caller. Ignored: answer\n')
  // The members of the other runtime are not among those that code can list, and it can set its own.
  const own = await older('(req) => { req.logger = 1; return { raw: [Object.keys(req), req.logger] } }')
  expect(getReturnValue(own)).toEqual({
    raw: [['args', 'configuration', 'bt', 'applicationOptions'], 1],
  })
})

test('F-03 a request transform forwards req or a bare message, or responds itself', async () => {
  const newer = startContract({ image: 'node22', role: 'request' })
  const older = startContract({ image: 'node-bt', role: 'request' })
  const res = '{ res: { body: { skipped: true }, statusCode: 201 } }'
  for (const run of [newer, older]) {
    expect((await run(`() => (${res})`)).ended).toMatchObject({
      kind: 'response',
      status: 201,
      body: '{"skipped":true}',
    })
    expect(getReturnValue(await run('() => ({ body: 1, headers: {} })'))).toEqual({ body: 1, headers: {} })
  }
  expect(getReturnValue(await newer('({ req }) => ({ req: { body: req, headers: {} } })'))).toEqual({
    body: {},
    headers: {},
  })
  expect(getReturnValue(await newer('() => ({ req: {} })'))).toEqual({})
  expect((await newer('() => {}')).ended).toMatchObject({
    status: 502,
    errors: { error: [expect.stringContaining('it must return { req: { body, headers } } or { res: ')] },
  })
})

test('F-03 a response transform replaces body, headers and status', async () => {
  const newer = startContract({ image: 'node22', role: 'response' })
  const older = startContract({ image: 'node-bt', role: 'response' })
  const message = { body: { a: 1 }, headers: { 'X-A': 'b' }, statusCode: 202 }
  const code = `() => ({ res: ${JSON.stringify(message)} })`
  expect(getReturnValue(await newer(code))).toEqual(message)
  expect(getReturnValue(await newer('() => ({ res: {} })'))).toEqual({})
  expect((await newer('() => ({})')).ended).toMatchObject({ status: 502 })
  expect((await older(code)).ended).toMatchObject({
    status: 422,
    errors: { error: [expect.stringContaining('it must return { body, headers }.')] },
  })
})

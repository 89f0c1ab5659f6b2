import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findSyntaxProblem } from '../../electron/code-runner/syntax-problem.ts'
import { createRun, evaluateInPool, getReturnValue, startPool } from './start-pool.ts'

test('F-01 a syntax error is reported with its line and column', async () => {
  const pool = startPool()
  const findProblem = (code: string) => findSyntaxProblem(pool, code)
  expect(await findProblem('module.exports = (req) => ({ raw: req.args })')).toBeNull()
  expect(await findProblem('let a = 1\nlet b = foo bar\n')).toEqual({
    line: 2,
    column: 13,
    message: "Unexpected identifier 'bar'",
  })
  expect(await findProblem('throw new Error()')).toBeNull()
  // Code cannot close the function that wraps it.
  expect(await findProblem('}); process.exit(); (function () {')).toMatchObject({ line: 1, column: 1 })
  expect(await findProblem('('.repeat(50_000))).toMatchObject({ message: 'The code nests too deeply.' })
  // Node's marker reaches no further than about 1,000 columns.
  const minified = `${'a;'.repeat(20_000)}foo bar`
  expect(await findProblem(minified)).toMatchObject({ line: 1, message: "Unexpected identifier 'bar'" })
})

test.each([
  [
    'an unclosed brace',
    'module.exports = () => {',
    { line: 1, column: 25, message: 'Unexpected end of input' },
  ],
  [
    'an unclosed brace above',
    'f(() => {\n  g()\n',
    { line: 3, column: 1, message: 'Unexpected end of input' },
  ],
  ['tabs', 'if (a) {\n\t\tfoo bar\n}', { line: 2, column: 7, message: "Unexpected identifier 'bar'" }],
])('F-01 a syntax error with %s is reported with its line and column', async (_, code, problem) => {
  expect(await findSyntaxProblem(startPool(), code)).toEqual(problem)
})

test('X-65 F-01 only runner processes compile code', () => {
  const source = path.join(import.meta.dirname, '..', '..', 'electron')
  const compiling = fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      // `runInNewContext('gc')` is exempt, because it runs no code of a reactor.
      /compileFunction\(|new Function\(|\bvm\.run(?!InNewContext\('gc'\))|\beval\(/.test(
        fs.readFileSync(path.join(source, file), 'utf8'),
      ),
    )
  expect(compiling).toEqual([path.join('code-runner', 'runner', 'main.ts')])
})

test('F-03 code gets args and configuration and returns a result', async () => {
  const pool = startPool()
  const code = `const { createHash } = require('node:crypto')
    const url = require('url')
    module.exports = async (req) => {
      console.log('hash', req.args.text.length)
      return { raw: { hash: createHash('sha256').update(req.args.text).digest('hex'), pid: process.pid, req, host: url.parse('http://a/b').host } }
    }`
  const more = { args: '{"text":"abc"}', configuration: { A: 'b' } }
  const first = await pool.run(createRun(code, more))
  const value = getReturnValue(first) as { raw: { pid: number } }
  expect(value).toEqual({
    raw: {
      hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      pid: expect.any(Number),
      req: { args: { text: 'abc' }, configuration: { A: 'b' }, bt: null, applicationOptions: null },
      host: 'a',
    },
  })
  expect(first.console).toBe('hash 3\n')
})

test('F-03 code can require listed modules and added packages', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-packages-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  for (const name of ['left', '@own/right']) {
    const inside = path.join(folder, 'node_modules', name)
    fs.mkdirSync(inside, { recursive: true })
    fs.writeFileSync(path.join(inside, 'index.js'), `module.exports = '${name}'`)
  }
  const pool = startPool({ packagesDir: folder })
  const all = await evaluateInPool(
    pool,
    `['buffer','crypto','https','http','querystring','stream','url','util','zlib','node:zlib'].map((name) => typeof require(name))`,
  )
  expect(new Set(getReturnValue(all) as string[])).toEqual(new Set(['object', 'function']))
  expect(getReturnValue(await evaluateInPool(pool, `[require('left'), require('@own/right')]`))).toEqual([
    'left',
    '@own/right',
  ])
  const clients = `['@basis-theory/basis-theory-js','@basis-theory/node-sdk','@basis-theory/node-sdk-2'].map((name) => Object.keys(require(name)).includes('BasisTheory'))`
  expect(getReturnValue(await evaluateInPool(pool, clients))).toEqual([true, true, true])
  for (const [name, message] of [
    ['axios-like', "Cannot find module 'axios-like'. Add it with: coffer reactor add-package axios-like"],
    ['@a/b/c', "Cannot find module '@a/b/c'. Add it with: coffer reactor add-package @a/b"],
    ['fs', expect.stringContaining('Reactors can require these Node modules: buffer, crypto')],
    ['node:child_process', expect.stringContaining('Reactors can require these Node modules: buffer')],
    ['./x', expect.stringContaining('by name')],
    ['/etc/passwd', expect.stringContaining('by name')],
    ['left/../../../x', expect.stringContaining('by name')],
  ] as const) {
    const { ended } = await evaluateInPool(pool, `require(${JSON.stringify(name)})`)
    expect(ended).toMatchObject({ kind: 'thrown', status: 500, errors: { error: [message] } })
  }
})

test('F-03 bt is the official client, with the application’s key and base URL', async () => {
  const seen: unknown[] = []
  const server = http.createServer((request, response) => {
    seen.push([request.method, request.url, request.headers['bt-api-key']])
    response.setHeader('content-type', 'application/json').end('{"id":"t1","data":"v"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const environment = `http://localhost:${(server.address() as AddressInfo).port}`
  const result = await startPool().run(
    createRun(
      'module.exports = async ({ bt, applicationOptions }) => [(await bt.tokens.retrieve("t1")).data, applicationOptions]',
      {
        application: { apiKey: 'key_one', environment },
      },
    ),
  )
  expect(getReturnValue(result)).toEqual(['v', { apiKey: 'key_one', environment, baseUrl: environment }])
  expect(seen).toEqual([['GET', '/tokens/t1', 'key_one']])
})

test('F-04 every thrown value gives an error with status and detail', async () => {
  const pool = startPool()
  const throwInPool = async (expression: string) => (await evaluateInPool(pool, expression)).ended
  const createThrow = (name: string, more = '{}') =>
    `{ throw Object.assign(new Error('why'), { name: '${name}' }, ${more}) }`
  for (const [name, status, detail] of [
    ['BadRequestError', 400, 'Bad Request'],
    ['AuthenticationError', 401, 'Authentication Failed'],
    ['InvalidPaymentMethodError', 402, 'Invalid Payment Method'],
    ['AuthorizationError', 403, 'Forbidden'],
    ['RateLimitError', 429, 'Rate Limit Exceeded'],
    ['ReactorRuntimeError', 500, 'Reactor Runtime Error'],
    ['ServiceUnavailableError', 503, 'Service Unavailable'],
    ['InvalidReactorConfigurationError', 400, 'Invalid Reactor Configuration'],
    ['InvalidReactorFormulaError', 422, 'Invalid Reactor Formula'],
  ] as const) {
    expect(await throwInPool(createThrow(name)), name).toMatchObject({
      kind: 'thrown',
      status,
      detail,
      errors: { error: ['why'] },
    })
  }
  expect(
    await throwInPool(createThrow('BadRequestError', '{ errors: { a: "x", b: ["y", { z: 1 }] } }')),
  ).toMatchObject({
    errors: { a: ['x'], b: ['y', '{"z":1}'] },
  })
  expect(await throwInPool(createThrow('Own', '{ status: 418, toRFC7807() {} }'))).toMatchObject({
    status: 418,
    detail: 'why',
  })
  // The status of an upstream error is not used as the status of the reactor.
  expect(await throwInPool(createThrow('AxiosError', '{ status: 404 }'))).toMatchObject({ status: 500 })
  expect(
    await throwInPool(
      createThrow('CustomHttpResponseError', '{ status: 302, headers: { location: "/a" }, body: { a: 1 } }'),
    ),
  ).toEqual({ kind: 'response', status: 302, headers: { location: '/a' }, body: '{"a":1}' })
  const others: readonly (readonly [string, unknown])[] = [
    ['{ throw null }', 'null'],
    ['{ throw undefined }', 'undefined'],
    ['{ throw "text" }', 'text'],
    ['{ throw Symbol("s") }', 'Symbol(s)'],
    ['{ throw { get name() { throw 1 } } }', 'The code threw a value that cannot be read.'],
    ['{ throw new Proxy({}, { get() { throw 1 } }) }', 'The code threw a value that cannot be read.'],
    ['{ throw new Error("x".repeat(5e6)) }', expect.stringMatching(/^x{4096}…$/)],
    ['({ big: 1n })', 'Do not know how to serialize a BigInt'],
    ['{ const a = {}; a.a = a; a }', expect.stringContaining('circular')],
    ['"x".repeat(2 * 1024 * 1024)', 'The result is longer than 2 MiB.'],
  ]
  for (const [expression, message] of others) {
    expect(await throwInPool(expression), expression).toMatchObject({
      kind: 'thrown',
      status: 500,
      detail: 'Reactor Runtime Error',
      errors: { error: [message] },
    })
  }
  expect(getReturnValue(await evaluateInPool(pool, 'undefined'))).toBeNull()
})

test('F-04 code without an exported function is an invalid formula', async () => {
  const pool = startPool()
  expect((await pool.run(createRun('exports.run = () => 1'))).ended).toMatchObject({
    kind: 'thrown',
    status: 422,
    detail: 'Invalid Reactor Formula',
  })
  const { ended } = await pool.run(createRun('module.exports = () => {\n  const a = null\n  return a.b\n}'))
  expect(ended).toMatchObject({ kind: 'thrown', status: 500, at: { line: 3, column: 12 } })
})

test('F-04 a run’s console output is stored up to 64 KiB, even if the run is killed', async () => {
  const pool = startPool()
  const { console } = await evaluateInPool(pool, 'console.error("begun"); console.log("é".repeat(70000)); 1')
  expect(console).toMatch(/^begun\né+\n\(cut off\)\n$/)
  expect(Buffer.byteLength(console)).toBeLessThanOrEqual(64 * 1024)
  const killed = await pool.run(
    createRun('module.exports = () => { console.log("here"); for (;;); }', { owner: null, limit_ms: 300 }),
  )
  expect(killed).toMatchObject({ ended: { kind: 'failed', reason: 'time' }, console: 'here\n' })
})

test('F-03 a run uses packages that were added since the last run', async () => {
  const packagesDir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-later-')), 'packages')
  onTestFinished(() => fs.rmSync(path.dirname(packagesDir), { recursive: true }))
  const pool = startPool({ packagesDir })
  const runLater = () => pool.run(createRun(`module.exports = () => require('later')`))
  expect((await runLater()).ended).toMatchObject({
    kind: 'thrown',
    errors: { error: [expect.stringContaining("Cannot find module 'later'")] },
  })
  const installLater = (value: number) => {
    const inside = path.join(packagesDir, 'node_modules', 'later')
    fs.mkdirSync(inside, { recursive: true })
    fs.writeFileSync(path.join(inside, 'index.js'), `module.exports = ${value}`)
    // npm writes this file too.
    fs.writeFileSync(path.join(packagesDir, 'node_modules', '.package-lock.json'), `${value}`)
  }
  for (const value of [7, 8]) {
    installLater(value)
    expect(getReturnValue(await runLater())).toBe(value)
  }
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Fork, forkNode } from '../../electron/code-runner/fork.ts'
import { measureLongestBlock } from '../longest-block.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { createRun, evaluateInPool, getReturnValue, startPool } from './start-pool.ts'

function createFolder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-packages-'))
  onTestFinished(() => fs.rmSync(made, { recursive: true }))
  return made
}

/** Creates a packages folder with one package. */
function createPackage(name: string, code: string): string {
  const made = createFolder()
  const inside = path.join(made, 'node_modules', name)
  fs.mkdirSync(inside, { recursive: true })
  fs.writeFileSync(path.join(inside, 'index.js'), code)
  return made
}

/** Creates a folder of packages with one that gives code access to every module of Node. */
function createPackagesWithNode(): string {
  return createPackage('node', 'module.exports = require')
}

test('X-54 F-02 code with every Node module cannot read other files or start processes', async () => {
  const packagesDir = createPackagesWithNode()
  const vault = path.join(createFolder(), 'vault.db')
  fs.writeFileSync(vault, 'secret')
  const pool = startPool({ packagesDir })
  const own = path.join(packagesDir, 'node_modules', 'node', 'index.js')
  expect(
    getReturnValue(
      await evaluateInPool(pool, `require('node')('fs').readFileSync(${JSON.stringify(own)}, 'utf8')`),
    ),
  ).toContain('module.exports')
  const attempts = [
    `require('fs').readFileSync(${JSON.stringify(vault)})`,
    `require('fs').readFileSync('/etc/passwd')`,
    `require('fs').readFileSync('/proc/self/environ')`,
    `require('fs').readdirSync('/')`,
    `require('fs').writeFileSync(${JSON.stringify(`${own}.x`)}, '')`,
    `require('fs').symlinkSync('/etc', ${JSON.stringify(path.join(packagesDir, 'etc'))})`,
    `require('child_process').execSync('true')`,
    `require('child_process').fork(${JSON.stringify(own)})`,
    `new (require('worker_threads').Worker)('1', { eval: true })`,
    `require('inspector').open(0)`,
    `new (require('inspector').Session)().connect()`,
    `require('net').connect('/var/run/docker.sock')`,
    `require('http').get({ socketPath: '/var/run/docker.sock' })`,
    `require('net').connect(Object.create({ path: '/var/run/docker.sock' }, {}))`,
    `process.binding('fs')`,
    `process._linkedBinding('fs')`,
    `process.dlopen({ exports: {} }, '/x.node')`,
    `process.kill(1, 0)`,
    `process._kill(1, 0)`,
    `process._debugProcess(1)`,
    `process.execve('/bin/true')`,
    `process.report.writeReport()`,
    `process.getBuiltinModule('fs')`,
    `process.abort()`,
    `require('process').kill(1, 0)`,
  ]
  for (const attempt of attempts) {
    const { ended } = await evaluateInPool(
      pool,
      `{ const own = require; { const require = own('node'); ${attempt} } }`,
    )
    expect(ended, attempt).toMatchObject({ kind: 'thrown', status: 500 })
    expect(JSON.stringify(ended), attempt).toMatch(
      /restricted|is not a function|undefined|only connect to a host and a port|requires full fs|cannot be empty/,
    )
  }
})

test('X-54 F-02 code reaches no file through what Node’s permissions leave out', async () => {
  const packagesDir = createPackagesWithNode()
  const folder = createFolder()
  const inModule = path.join(packagesDir, 'node_modules', 'esm')
  fs.mkdirSync(inModule)
  fs.writeFileSync(path.join(inModule, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  fs.writeFileSync(path.join(inModule, 'index.js'), `export { setFlagsFromString } from 'node:v8'`)
  const pool = startPool({ packagesDir, fork: forkNode() })
  const file = JSON.stringify(path.join(folder, 'written.db'))
  const attempts = [
    `new (own('node:sqlite').DatabaseSync)(${file}).exec('CREATE TABLE a (b)')`,
    `new (own('node:sqlite').DatabaseSync)(':memory:').exec("ATTACH '" + ${file} + "' AS x; CREATE TABLE x.a (b)")`,
    `own('node:sqlite').backup({}, ${file})`,
    `own('node:v8').setFlagsFromString('--trace-turbo')`,
    `require('esm').setFlagsFromString('--trace-turbo')`,
  ]
  for (const attempt of attempts) {
    const { ended } = await evaluateInPool(pool, `{ const own = require('node'); ${attempt} }`)
    expect(ended, attempt).toMatchObject({ kind: 'thrown', status: 500 })
    expect(JSON.stringify(ended), attempt).toMatch(/not available to reactors/)
  }
  expect(fs.readdirSync(folder)).toEqual([])
})

test('X-54 F-02 code cannot listen or open local sockets', async () => {
  const made = path.join(createFolder(), 'made.sock')
  const pool = startPool()
  const attempts = [
    `await listening(${JSON.stringify(made)})`,
    `await listening({ path: '\\0coffer-abstract' })`,
    `await listening(0, '127.0.0.1')`,
    `await listening({ port: 0, host: '127.0.0.1', exclusive: true })`,
    `new tcp.constructor({ fd: 1 })`,
    `new tcp._handle.constructor(1).listen(1)`,
    `new tcp._handle.constructor(0).open(1)`,
    `tcp.connect(${JSON.stringify(made)})`,
  ]
  for (const attempt of pickSome(attempts, 3)) {
    const code = `module.exports = async () => {
      const http = require('http')
      const tcp = new http.Agent().createConnection({ port: 1, host: '127.0.0.1' }).on('error', () => {})
      const listening = (...place) => new Promise((resolve, reject) => {
        http.createServer().on('error', reject).listen(...place, () => reject(new Error('listens')))
      })
      ${attempt}
    }`
    expect((await pool.run(createRun(code))).ended, attempt).toMatchObject({
      kind: 'thrown',
      errors: { error: ['A reactor can only connect to a host and a port.'] },
    })
  }
  expect(fs.existsSync(made)).toBe(false)
})

test('X-54 F-02 no run starts while a symbolic link leads out of the packages folder', async () => {
  const packagesDir = createFolder()
  fs.symlinkSync('/etc', path.join(packagesDir, 'outside'))
  const { ended } = await startPool({ packagesDir }).run(createRun('module.exports = () => 1'))
  expect(ended).toMatchObject({ kind: 'failed', reason: 'start', detail: expect.stringContaining('outside') })
})

test('X-54 F-02 code cannot see the process’s environment, arguments or parent', async () => {
  process.env.COFFER_CANARY = 'canary'
  onTestFinished(() => void delete process.env.COFFER_CANARY)
  const seen = await evaluateInPool(
    startPool(),
    `({ env: process.env, argv: process.argv, flags: process.execArgv, path: process.execPath, ppid: process.ppid, stdin: process.stdin === undefined })`,
  )
  expect(getReturnValue(seen)).toEqual({ env: {}, argv: [], flags: [], path: '', ppid: 0, stdin: true })
})

/**
 * Identifies a process by times of its start, because each has the same number in its own namespace. One of them alone,
 * in microseconds, may be that of another process, since several start at once.
 */
const identity =
  '[performance.timeOrigin, performance.nodeTiming.v8Start, performance.nodeTiming.bootstrapComplete].join()'

/** Code that reports which traces of another run it finds, after waiting for delayed effects of that run. */
const found = `new Promise((resolve) => setTimeout(resolve, 40)).then(() => ({
  members: Object.getOwnPropertyNames(process).length, globals: Object.getOwnPropertyNames(globalThis).length,
  kept: [process.kept, globalThis.kept, process.env.KEPT, process.title === 'kept'],
  names: [process.nextTick, process.emit, structuredClone, JSON.parse, require('https').request, [].map].map((each) => each.name),
  own: Object.hasOwn(process, 'emit'), listeners: process.listenerCount('exit'),
  agent: [require('http').globalAgent.maxSockets === Infinity, require('http').globalAgent.options.kept],
  client: require('@basis-theory/basis-theory-js').kept, added: require('added').kept, polluted: ({}).polluted,
  connections: process.getActiveResourcesInfo().filter((each) => each.startsWith('TCP')).length,
  later: typeof Object.getPrototypeOf(async () => {}).constructor.prototype.kept,
}))`
const changed = `structuredClone = function late() {}`
const leftovers = [
  `process.kept = req.args; 1`,
  `globalThis.kept = req.args; 1`,
  `process.env.KEPT = 'kept'; 1`,
  `process.title = 'kept'; 1`,
  `process.nextTick = function mine() {}; 1`,
  `process.emit = function mine() {}; 1`,
  `process.on('exit', () => {}); 1`,
  `process.removeAllListeners('unhandledRejection'); 1`,
  `require('http').globalAgent.maxSockets = 7`,
  `require('http').globalAgent.options.kept = 1`,
  `require('https').request = function mine() {}; 1`,
  `require('@basis-theory/basis-theory-js').kept = 1`,
  `require('added').kept = 1`,
  `JSON.parse = function mine() {}; 1`,
  `Array.prototype.map = function mine() { return [] }; 1`,
  `Object.prototype.polluted = 1`,
  `Object.getPrototypeOf(async () => {}).constructor.prototype.kept = 1`,
  `setTimeout(() => { ${changed} }, 10).unref(); 1`,
  `setInterval(() => { console.log('late'); ${changed} }, 1); 1`,
  `setTimeout(() => { throw new Error('late') }, 10).unref(); 1`,
  `Promise.reject(new Error('late')); 1`,
  `AbortSignal.timeout(10).addEventListener('abort', () => { ${changed} }); 1`,
  `Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10).value.then(() => { ${changed} }); 1`,
  `void (async () => { for (;;) { await new Promise((resolve) => setTimeout(resolve, 1).unref()); ${changed} } })(); 1`,
]

test('X-67 X-54 F-02 runs of different callers share no state', async () => {
  const server = net.createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const connect = `new (require('http').Agent)().createConnection({ port: ${port}, host: '127.0.0.1' })`
  const packagesDir = createPackage('added', 'module.exports = {}')
  const pool = startPool({ packagesDir })
  const left = new Map<unknown, string>()
  const evaluateAs = async (caller: string, expression: string) => {
    const code = `module.exports = async (req) => [${identity}, await eval(req.args)]`
    const result = await pool.run(createRun(code, { caller, args: JSON.stringify(expression) }))
    expect(result.console, expression).toBe('')
    const [id, value] = getReturnValue(result) as [unknown, unknown]
    expect(left.get(id) ?? caller, expression).toBe(caller)
    left.set(id, caller)
    return value
  }
  const untouched = await evaluateAs('nobody', found)
  await Promise.all(
    pickSome([...leftovers, `${connect}; 1`], 6).map(async (leftover, at) => {
      // All callers run at the same time, so that runs are queued and used processes are reused.
      await evaluateAs(`caller ${at}`, leftover)
      const [next, own] = await Promise.all([
        evaluateAs(`next ${at}`, found),
        evaluateAs(`caller ${at}`, '1'),
      ])
      expect(next, leftover).toEqual(untouched)
      expect(own).toBe(1)
    }),
  )
})

test('X-67 F-02 each run without a known caller gets a new process', async () => {
  const pool = startPool()
  const code = `module.exports = () => ${identity}`
  const runs = await Promise.all(Array.from({ length: 6 }, () => pool.run(createRun(code, { caller: null }))))
  expect(new Set(runs.map(getReturnValue)).size).toBe(6)
})

test('F-02 a process serves only one run, and the next one is already started', async () => {
  const fork = forkNode()
  let ready = 0
  const pool = startPool({
    fork(start) {
      const forked = fork(start)
      forked.stdout.once('data', () => ready++)
      return forked
    },
  })
  const pids: unknown[] = []
  for (let at = 0; at < 4; at++) {
    pids.push(getReturnValue(await evaluateInPool(pool, 'process.pid')))
    await waitFor(() => expect(ready).toBe(at + 3))
  }
  expect(new Set(pids).size).toBe(4)
})

test('F-02 processes that are started in advance serve the first runs, and end when they stay idle', async () => {
  const events: string[] = []
  const forkObserved: Fork = (start) => {
    const forked = forkNode()(start)
    forked.stdout.once('data', () => events.push('ready'))
    forked.onExit(() => events.push('exited'))
    return forked
  }
  const pool = startPool({ fork: forkObserved })
  await pool.startSpares()
  await waitFor(() => expect(events).toEqual(['ready', 'ready']))
  const code = 'module.exports = () => process.pid'
  const runs = await Promise.all(['one', 'other'].map((caller) => pool.run(createRun(code, { caller }))))
  expect(new Set(runs.map(getReturnValue)).size).toBe(2)
  await pool.close()
  events.splice(0)
  await startPool({ fork: forkObserved, spare: 1, idle_ms: 30 }).startSpares()
  await waitFor(() => expect(events).toContain('exited'))
})

test('X-54 F-02 loops, excessive memory, exits and floods of output end only their own run', async () => {
  const pool = startPool()
  const runToEnd = async (body: string, limit_ms = 30_000) =>
    (await pool.run(createRun(`module.exports = async (req) => { ${body} }`, { limit_ms }))).ended
  const loops = [
    'for (;;);',
    'for (;;) await null',
    'await new Promise(() => {})',
    'process.on("SIGTERM", () => {}); return { get x() { for (;;); } }',
  ]
  for (const loop of pickSome(loops, 1)) {
    expect(await runToEnd(loop, 200), loop).toMatchObject({ kind: 'failed', reason: 'time' })
  }
  expect(await runToEnd('process.exit(0)')).toMatchObject({ reason: 'exit' })
  expect(await runToEnd('const all = []; for (;;) all.push(new Array(1e6).fill(1))')).toMatchObject({
    reason: 'memory',
  })
  if (process.platform === 'linux') {
    expect(await runToEnd('const all = []; for (;;) all.push(Buffer.alloc(1e8, 1))')).toMatchObject({
      kind: 'thrown',
    })
  }
  expect(await runToEnd('for (;;) console.log("x".repeat(1e6))', isThorough ? 1000 : 300)).toMatchObject({
    reason: 'time',
  })
  expect(getReturnValue(await evaluateInPool(pool, '1'))).toBe(1)
})

test('X-54 code that writes raw messages cannot affect other runs', async () => {
  const pool = startPool({ packagesDir: createPackagesWithNode() })
  const runToEnd = async (body: string) =>
    (await pool.run(createRun(`const fs = require('node')('fs'); module.exports = async () => { ${body} }`)))
      .ended
  const before = process.memoryUsage().rss
  expect(
    await runToEnd('const part = Buffer.alloc(1 << 20, 65); for (;;) fs.writeSync(1, part)'),
  ).toMatchObject({
    kind: 'failed',
    reason: 'output',
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(300e6)
  expect(await runToEnd('fs.writeSync(1, "nonsense\\n"); await new Promise(() => {})')).toMatchObject({
    reason: 'exit',
  })
  const forged = JSON.stringify({ id: 'x', ended: { kind: 'returned', value: '"forged"' } })
  expect(await runToEnd(`fs.writeSync(1, ${JSON.stringify(`${forged}\n`)}); return 'own'`)).toEqual({
    kind: 'returned',
    value: '"own"',
  })
})

test('X-54 huge messages of a process do not block the main thread', {
  tags: 'thorough',
}, async () => {
  const pool = startPool({ packagesDir: createPackagesWithNode() })
  const printRaw = async (text: string) => {
    const body = `require('node')('fs').writeSync(1, ${text} + '\\n'); await new Promise(() => {})`
    return (await pool.run(createRun(`module.exports = async () => { ${body} }`, { limit_ms: 5000 }))).ended
  }
  for (const text of [
    `'[' + '[],'.repeat(3.9e6) + '0]'`,
    `'{"ready":[' + '[],'.repeat(3.9e6) + '0]}'`,
    `'{"id":"","ended":{"kind":"returned"}}\\t[' + '[],'.repeat(3.9e6) + '0]'`,
  ]) {
    const { result, block } = await measureLongestBlock(() => printRaw(text))
    expect(result, text).toMatchObject({ kind: 'failed', reason: 'exit' })
    expect(block, text).toBeLessThan(100)
  }
  const long = `module.exports = () => { throw { name: 'BadRequestError', errors: Array.from({ length: 100 }, () => 'x'.repeat(4000)) } }`
  expect((await pool.run(createRun(long))).ended).toMatchObject({
    kind: 'thrown',
    status: 500,
    errors: { error: ['The errors or headers are longer than 65,536 characters of JSON.'] },
  })
})

test('X-54 F-02 100 concurrent runs use at most eight processes at a time', {
  tags: 'thorough',
}, async () => {
  const started: number[] = []
  let running = 0
  const fork = forkNode()
  const pool = startPool({
    idle_ms: 50,
    fork(start) {
      const forked = fork(start)
      started.push(++running)
      forked.onExit(() => running--)
      return forked
    },
  })
  const code = 'module.exports = (req) => process.pid'
  const callers = new Map<unknown, Set<string>>()
  await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const [owner, caller] = [`reactor ${at % 2}`, `caller ${at % 3}`]
      const pid = getReturnValue(await pool.run(createRun(code, { owner, caller })))
      callers.set(pid, (callers.get(pid) ?? new Set()).add(`${owner} ${caller}`))
    }),
  )
  expect([...callers.values()].filter((each) => each.size > 1)).toEqual([])
  expect(started.length).toBeLessThan(100)
  expect(Math.max(...started)).toBeLessThanOrEqual(8)
  // Idle processes exit.
  await waitFor(() => expect(running).toBe(0))
})

test('F-02 a run is cancelled by its signal or by closing the pool', async () => {
  const pool = startPool()
  const endless = createRun('module.exports = () => { for (;;); }')
  const first = new AbortController()
  const second = new AbortController()
  const [one, two] = [first, second].map(({ signal }) => pool.run({ ...endless, signal }))
  second.abort()
  expect((await two)?.ended).toMatchObject({ reason: 'cancelled' })
  first.abort()
  expect((await one)?.ended).toMatchObject({ reason: 'cancelled' })
  const last = pool.run(endless)
  await pool.close()
  expect((await last).ended).toMatchObject({ reason: 'cancelled' })
  expect((await pool.run(endless)).ended).toMatchObject({ reason: 'cancelled' })
})

test('X-54 F-02 code does not run if the process lacks Node’s permission model', async () => {
  const fork = forkNode()
  const pool = startPool({
    fork: (start) =>
      fork({ ...start, execArgv: start.execArgv.filter((each) => !/^--(permission|allow)/.test(each)) }),
  })
  expect((await pool.run(createRun('module.exports = () => 1'))).ended).toMatchObject({
    kind: 'failed',
    reason: 'start',
    detail: expect.stringContaining('permission model'),
  })
})

test('F-02 a process exits when its parent exits, even during a run', async () => {
  const server = net.createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const code = `module.exports = () =>
    new Promise(() => require('node')('net').connect(${port}, '127.0.0.1').write('running'))`
  const script = `
    import { ReactorPool } from ${JSON.stringify(path.join(import.meta.dirname, '../../electron/code-runner/pool.ts'))}
    const pool = new ReactorPool({ packagesDir: ${JSON.stringify(createPackagesWithNode())} })
    console.log((await pool.run(${JSON.stringify(createRun(code, { caller: null }))})).ended)`
  const parent = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', script],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [running] = (await once(server, 'connection')) as [net.Socket]
  await once(running, 'data')
  const exited = once(running, 'close')
  // The reset connection of a killed process is an error.
  running.on('error', () => {})
  parent.kill('SIGKILL')
  await exited
})

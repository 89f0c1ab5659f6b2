import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { forkNode } from '../../electron/code-runner/fork.ts'
import {
  createNoIsolation,
  describeIsolation,
  findIsolation,
  type Refusals,
  tryWrap,
} from '../../electron/code-runner/isolation/find-isolation.ts'
import { startProcess } from '../../electron/code-runner/isolation/start-process.ts'
import { createSystemCallFilter } from '../../electron/code-runner/isolation/system-call-filter.ts'
import {
  createSeatbeltProfile,
  listWrappers,
  type NodeProgram,
  type Wrap,
  wrapNothing,
} from '../../electron/code-runner/isolation/wrappers.ts'
import { createRun, evaluateInPool, getReturnValue, startPool } from './start-pool.ts'

const isolation = await findIsolation()
const isIsolated = isolation.by !== null
const isBubblewrap = isolation.by === 'bwrap'

function createFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-isolation-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  return folder
}

/** Starts a program in a wrapper, and returns what it prints. */
async function runWrapped(
  wrap: Wrap,
  program: NodeProgram,
  args: readonly string[],
  readable: readonly string[] = [],
): Promise<string> {
  const { child, stdout } = startProcess(wrap(program, args, readable), '/')
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for await (const chunk of stdout) output += chunk
  return output
}

/** Makes attempts in a Node without any permission switch. Returns how each ended: `done`, or an error's code. */
async function makeAttempts(
  wrap: Wrap,
  attempts: Readonly<Record<string, string>>,
  readable: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const script = `const fs = require('node:fs'), net = require('node:net'), child = require('node:child_process')
    const settle = (emitter, name) => new Promise((resolve, reject) => emitter.once(name, resolve).once('error', reject))
    const attempts = { ${Object.entries(attempts).map(([name, act]) => `${JSON.stringify(name)}: async () => { ${act} }`)} }
    const outcomes = Object.entries(attempts).map(async ([name, act]) =>
      [name, await act().then(() => 'done', (error) => error.code ?? error.message)])
    Promise.all(outcomes).then((all) => { fs.writeSync(1, JSON.stringify(Object.fromEntries(all))); process.exit() })`
  return JSON.parse(await runWrapped(wrap, isolation.program, ['-e', script], readable))
}

/** A program of the same user that code must not reach. */
async function startVictim(): Promise<ChildProcess> {
  const victim = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
    env: { SECRET: 'canary' },
  })
  onTestFinished(() => void victim.kill('SIGKILL'))
  await once(victim.stdout, 'data')
  return victim
}

async function startServer(at: net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => void socket.on('error', () => {}).end('hello'))
  onTestFinished(() => void server.close())
  await once(server.listen(at), 'listening')
  return server
}

test('X-54 F-02 this machine’s isolation is said as it is', () => {
  const working = isolation.by
  if (working === null) process.stdout.write(`Nothing isolates code here: ${describeIsolation(isolation)}\n`)
  expect(describeIsolation(isolation)).toContain(
    working === null ? 'Only Node’s permissions keep code from reading' : `The system, with ${working},`,
  )
})

test('X-54 F-02 what was not seen to be refused is never said to be', async () => {
  const { program } = isolation
  const none: Refusals = { files: false, processes: false, programs: false }
  if (isIsolated) expect(await tryWrap(program, wrapNothing)).toEqual(none)
  expect(await tryWrap({ ...program, node: '/nowhere' }, wrapNothing)).toBeNull()
  expect(describeIsolation({ by: 'bwrap', refuses: { files: true, processes: true, programs: true } })).toBe(
    'The system, with bwrap, keeps code from reading or writing files, reaching other processes and starting programs.',
  )
  expect(describeIsolation({ by: 'unshare', refuses: { ...none, processes: true } })).toContain(
    'The system, with unshare, keeps code from reaching other processes. Only Node’s permissions keep code from reading or writing files and starting programs.',
  )
  expect(describeIsolation({ by: null, refuses: none })).toContain(
    'Only Node’s permissions keep code from reading or writing files, reaching other processes and starting programs.',
  )
})

/** Starts programs as process 1 of a namespace, as containers do. */
const asFirst = [
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  process.execPath,
]
const hasFirst = isIsolated && spawnSync('unshare', [...asFirst, '-e', '']).status === 0

test.runIf(hasFirst)('X-54 F-02 a wrapper is recognized where Coffer is process 1', () => {
  const file = JSON.stringify(
    path.join(import.meta.dirname, '../../electron/code-runner/isolation/find-isolation.ts'),
  )
  const script = `import(${file}).then(async ({ findIsolation }) => console.log(JSON.stringify(await findIsolation())))`
  const { stdout } = spawnSync('unshare', [...asFirst, '-e', script], { encoding: 'utf8' })
  const { by, refuses } = isolation
  expect(JSON.parse(stdout)).toMatchObject({ by, refuses })
})

test.runIf(isIsolated)('X-54 F-02 the system alone keeps code from other processes', async () => {
  const victim = await startVictim()
  const attempts = {
    signal: `process.kill(${victim.pid}, 0)`,
    environment: `fs.readFileSync('/proc/${victim.pid}/environ', 'utf8').includes('canary') || fail()`,
    memory: `fs.closeSync(fs.openSync('/proc/${victim.pid}/mem'))`,
    parent: `process.kill(${process.pid}, 0)`,
  }
  for (const { by, wrap } of listWrappers()) {
    if ((await tryWrap(isolation.program, wrap)) === null) continue
    expect(await makeAttempts(wrap, attempts), by).toEqual({
      signal: 'ESRCH',
      environment: 'ENOENT',
      memory: 'ENOENT',
      parent: expect.stringMatching(/^(ESRCH|EPERM)$/),
    })
  }
  const free = await makeAttempts(wrapNothing, attempts)
  const done = { signal: 'done', environment: 'done', parent: 'done' }
  expect(free).toEqual({ ...done, memory: mayTrace() ? 'done' : expect.anything() })
})

const canListChildren = fs.existsSync(`/proc/self/task/${process.pid}/children`)

test.runIf(canListChildren)(
  'X-54 F-02 a wrapper that is killed while it starts leaves no process',
  async () => {
    for (const { by, wrap } of listWrappers()) {
      if ((await tryWrap(isolation.program, wrap)) === null) continue
      for (let round = 0; round < 5; round++) {
        const { child, stdout, kill } = startProcess(wrap(isolation.program, ['-e', ''], []), '/')
        // The output stays open as long as any process holds it.
        const hasClosed = once(stdout.resume(), 'close', { signal: AbortSignal.timeout(10_000) })
        let inner = 0
        while (inner === 0)
          inner = Number(fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
        // It has not yet asked the system to end it with its parent.
        process.kill(inner, 'SIGSTOP')
        kill()
        await hasClosed.catch(() => {
          process.kill(inner, 'SIGKILL')
          throw new Error(`${by} left a process in round ${round}.`)
        })
      }
    }
  },
)

test.runIf(isBubblewrap)('X-54 F-02 the system alone keeps code from files', async () => {
  const [data, packages] = [createFolder(), createFolder()]
  fs.writeFileSync(path.join(data, 'vault.db'), 'secret')
  fs.writeFileSync(path.join(packages, 'index.js'), 'module.exports = 1')
  const attempts = {
    vault: `fs.readFileSync('${data}/vault.db')`,
    accounts: `fs.readFileSync('/etc/passwd', 'utf8').includes('root:') || fail()`,
    home: `fs.readdirSync('${import.meta.dirname}')`,
    shell: `fs.readFileSync('/bin/sh')`,
    itself: `fs.readFileSync('/proc/self/environ')`,
    'write data': `fs.writeFileSync('${data}/x', '')`,
    'write packages': `fs.writeFileSync('${packages}/x', '')`,
    'write temporary': `fs.mkdtempSync('/tmp/coffer-isolation-')`,
    'write program': `fs.chmodSync(process.execPath, 0o755)`,
    'write shared memory': `fs.writeFileSync('/dev/shm/${path.basename(data)}', '')`,
  }
  const { wrap } = isolation
  const refusedWrite = expect.stringMatching(/^(ENOENT|EROFS)$/)
  const outcomes = await makeAttempts(wrap, { ...attempts, packages: `require('${packages}')` }, [packages])
  expect(outcomes).toEqual({
    vault: 'ENOENT',
    accounts: 'fail is not defined',
    home: 'ENOENT',
    shell: 'ENOENT',
    itself: 'ENOENT',
    'write data': 'ENOENT',
    'write packages': 'EROFS',
    'write temporary': refusedWrite,
    'write program': 'EROFS',
    'write shared memory': refusedWrite,
    packages: 'done',
  })
  const free = await makeAttempts(wrapNothing, attempts)
  expect(Object.entries(free).filter(([, outcome]) => outcome !== 'done')).toEqual([])
  fs.rmSync(path.join('/dev/shm', path.basename(data)))
  for (const made of fs.readdirSync('/tmp').filter((name) => /^coffer-isolation-\w{6}$/.test(name)))
    if (![data, packages].includes(path.join('/tmp', made))) fs.rmdirSync(path.join('/tmp', made))
})

test.runIf(isBubblewrap)(
  'X-54 F-02 the system alone keeps code from programs and sockets, and leaves it the network',
  async () => {
    const file = path.join(createFolder(), 'own.sock')
    const abstract = `\0coffer-isolation-${process.pid}`
    await startServer({ path: file })
    await startServer({ path: abstract })
    const local = (await startServer({ port: 0, host: '127.0.0.1' })).address() as net.AddressInfo
    const attempts = {
      bomb: `const { error } = child.spawnSync(process.execPath, ['-e', '']); if (error) throw error`,
      'socket file': `await settle(net.connect(${JSON.stringify(file)}), 'connect')`,
      'abstract socket': `await settle(net.connect(${JSON.stringify(abstract)}), 'connect')`,
      listen: `await settle(net.createServer().listen(0, '127.0.0.1'), 'listening')`,
      network: `await settle(net.connect(${local.port}, 'localhost'), 'data')`,
      threads: `await require('node:util').promisify(require('node:crypto').pbkdf2)('a', 'b', 1, 8, 'sha256')`,
    }
    expect(await makeAttempts(isolation.wrap, attempts)).toEqual({
      bomb: 'EPERM',
      'socket file': 'EPERM',
      'abstract socket': 'EPERM',
      listen: 'EPERM',
      network: 'done',
      threads: 'done',
    })
    const free = await makeAttempts(wrapNothing, attempts)
    expect(Object.values(free).filter((outcome) => outcome !== 'done')).toEqual([])
  },
)

test.runIf(isBubblewrap)('F-02 code finds the certificates of the system', async () => {
  const count = "console.log(require('node:tls').getCACertificates('system').length)"
  const free = await runWrapped(wrapNothing, isolation.program, ['-e', count])
  expect(await runWrapped(isolation.wrap, isolation.program, ['-e', count])).toBe(free)
})

/** One call of each, as Perl makes them, with the numbers of x64. */
const calls = {
  ptrace: '101, 16, $victim, 0, 0',
  process_vm_readv: '310, $victim, 0, 0, 0, 0, 0',
  pidfd_open: '434, $victim, 0',
  unshare: '272, 0',
  listen: '50, fileno($tcp), 1',
  perf_event_open: '298, 0, 0, 0, -1, 0',
  'raw socket': '41, 2, 3, 1',
  'packet socket': '41, 17, 3, 0',
  'multipath socket': '41, 2, 1, 262',
} as const
const perl = '/usr/bin/perl'
const hasCalls = isBubblewrap && process.arch === 'x64' && fs.existsSync(perl)

test.runIf(hasCalls)('X-54 F-02 the kernel refuses the calls of the filter', async () => {
  const victim = await startVictim()
  const makeCalls = Object.entries(calls).map(
    ([name, args]) => `$! = 0; print "${name}\\n" if syscall(${args}) < 0 && $! == 1;`,
  )
  const prepare = `use Socket; socket(my $tcp, AF_INET, SOCK_STREAM, 0); my $victim = ${victim.pid};`
  const args = ['-e', [prepare, ...makeCalls].join('\n')]
  const program = { node: perl, libraries: [], networkOptions: [] }
  const modules = ['/lib', '/lib64', '/usr/lib', '/usr/share/perl']
  expect((await runWrapped(isolation.wrap, program, args, modules)).trim().split('\n')).toEqual(
    Object.keys(calls),
  )
  const free = await runWrapped(wrapNothing, program, args)
  // Without it, the system refuses only what another user may not do either.
  if (process.getuid?.() === 0 && mayTrace()) expect(free).toBe('')
})

/** Whether the system lets programs of one user read each other's memory. */
function mayTrace(): boolean {
  const setting = '/proc/sys/kernel/yama/ptrace_scope'
  return !fs.existsSync(setting) || fs.readFileSync(setting, 'utf8').trim() === '0'
}

test('X-54 F-02 the filter of system calls looks at their arguments', () => {
  const [x64, arm64] = [0xc000003e, 0xc00000b7]
  for (const [processor, audit, clone, socket] of [
    ['x64', x64, 56, 41],
    ['arm64', arm64, 220, 198],
  ] as const) {
    const filter = createSystemCallFilter(processor) ?? Buffer.alloc(0)
    const decideCall = (call: number, ...args: number[]) => runFilter(filter, [call, audit, 0, 0, ...args])
    const asNumbers = (outcomes: readonly number[]) => outcomes.map((each) => each.toString(16))
    const [allowed, refused, unknown] = ['7fff0000', '50001', '50026']
    expect(
      asNumbers([decideCall(1), decideCall(clone, 0x3d0f00), decideCall(clone, 0x11), decideCall(435)]),
    ).toEqual([allowed, allowed, refused, unknown])
    const openSocket = (domain: number, type: number, protocol = 0) =>
      decideCall(socket, domain, 0, type, 0, protocol, 0)
    const open = [openSocket(2, 1), openSocket(10, 0x80802), openSocket(16, 3)]
    const named = [openSocket(2, 1, 6), openSocket(10, 2, 17)]
    expect(asNumbers([...open, ...named])).toEqual(Array(5).fill(allowed))
    expect(
      asNumbers([
        openSocket(1, 1),
        openSocket(2, 3),
        openSocket(10, 3),
        openSocket(16, 3, 9),
        openSocket(17, 3),
        openSocket(2, 1, 132), // SCTP
        openSocket(2, 1, 262), // MPTCP
        openSocket(2, 2, 1), // ICMP
      ]),
    ).toEqual(Array(8).fill(refused))
    expect(runFilter(filter, [1, 0x40000003]).toString(16)).toBe('80000000')
    expect(decideCall(0x40000001).toString(16)).toBe(refused)
  }
  expect(createSystemCallFilter('riscv64')).toBeNull()
})

/** Runs a filter as the kernel does, on 32-bit words of `seccomp_data`. */
function runFilter(filter: Buffer, words: readonly number[]): number {
  let loaded = 0
  for (let at = 0; at < filter.length; at += 8) {
    const [code, value] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)]
    if (code === 0x06) return value
    if (code === 0x20) loaded = words[value / 4] ?? 0
    else if (code === 0x54) loaded = (loaded & value) >>> 0
    else {
      const isTrue = { 21: loaded === value, 53: loaded >= value, 69: (loaded & value) !== 0 }[code]
      if (isTrue === undefined) throw new Error(`The filter has an unknown instruction ${code}.`)
      at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3))
    }
  }
  throw new Error('The filter does not end.')
}

test.runIf(isBubblewrap)('X-54 F-02 reactors run in the isolation that was found', async () => {
  const packages = createFolder()
  fs.mkdirSync(path.join(packages, 'node_modules', 'node'), { recursive: true })
  fs.writeFileSync(path.join(packages, 'node_modules', 'node', 'index.js'), 'module.exports = require')
  const pool = startPool({ packagesDir: packages })
  const seen = await evaluateInPool(
    pool,
    `{ const own = require('node'); ({ user: own('os').userInfo().username, home: own('os').homedir(), cpus: own('os').cpus().length > 0, memory: process.memoryUsage().rss > 1e6 && process.memoryUsage.rss() > 1e6 }) }`,
  )
  expect(getReturnValue(seen)).toEqual({ user: 'nobody', home: '/', cpus: true, memory: true })
})

test('F-02 a wrapper that no longer works is named where code cannot start', async () => {
  const wrapBroken = () => ({ command: ['/bin/false'], inputs: [] })
  const fork = forkNode({ ...createNoIsolation(process.execPath), by: 'bwrap', wrap: wrapBroken })
  const { ended } = await startPool({ fork }).run(createRun('module.exports = () => 1'))
  expect(ended).toEqual({
    kind: 'failed',
    reason: 'start',
    detail:
      'No process could be started for the reactor in bwrap, which worked earlier. Restart Coffer to use what works now.',
  })
})

test('X-54 F-02 the profile of macOS names what may be read', () => {
  const profile = createSeatbeltProfile(
    { node: '/opt/node "24"', libraries: ['/opt/lib.dylib'], networkOptions: [] },
    ['/packages'],
  )
  expect(profile).toMatchInlineSnapshot(`
    "(version 1)
    (deny default)
    (import "system.sb")
    (allow process-exec (literal "/opt/node \\"24\\""))
    (allow file-read-metadata sysctl-read system-socket)
    (allow file-read* (subpath "/opt/node \\"24\\"") (subpath "/opt/lib.dylib") (subpath "/private/etc/hosts") (subpath "/private/etc/resolv.conf") (subpath "/packages"))
    (allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))"
  `)
})

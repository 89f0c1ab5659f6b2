import { spawnSync } from 'node:child_process'
import path from 'node:path'
import vm from 'node:vm'
import { type Fork, forkIsolated } from '../../electron/code-runner/fork.ts'
import { ReactorPool } from '../../electron/code-runner/pool.ts'
import type { Permission } from '../../shared/permissions.ts'
import { summarizeTimes, type Times } from './measure.ts'
import { stopChild } from './processes.ts'
import { readUrl, root, startServe } from './start-up.ts'
import { type BenchVault, changeVault, owner } from './vault.ts'

export type Reactors = {
  /** Microseconds: the median of several calls, and the slowest. */
  readonly cold: Times
  readonly first: Times
  /** The first call of a reactor that was created just before, over HTTP. */
  readonly created: Times
  readonly warm: Times
  readonly burst: Times
  /** Calls at a rate of 100 per second. */
  readonly steady: Times
  readonly in_process: Times
  /** The start of a process of Node without any code, to compare with. */
  readonly bare_node: Times
  /** The resident memory of eight processes, the most that run at a time, in MiB. */
  readonly memory_mb: number
}

const code = `const { createHash } = require('crypto')
module.exports = async (req) => ({ raw: { hash: createHash('sha256').update(req.args.text).digest('hex') } })`
const contract = { image: 'node-bt', role: 'reactor' } as const
const whose = { caller: 'caller', configuration: {}, application: null, limit_ms: 30_000, contract }
const args = JSON.stringify({ text: 'a'.repeat(1000) })

/** The pause before a call, in which spare processes start, and the interval of 100 calls per second. In ms. */
const PAUSE_MS = 200
const STEADY_MS = 10

/**
 * Measures calls without a ready process, the first calls of reactors and later calls of one reactor (each after a
 * pause), calls without pauses, calls at 100 per second, and the same code called in this process.
 */
export async function measureReactors(calls: number, vault: BenchVault): Promise<Reactors> {
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  const options = { packagesDir: null, fork: forkBuilt() }
  const pool = new ReactorPool(options)
  const runReactor = (owner: string, by = pool) => by.run({ ...whose, owner, code, args })
  try {
    const cold = await measureCalls(9, async () => {
      const other = new ReactorPool({ ...options, spare: 0 })
      return { took: await measureCall(() => runReactor('cold', other)), after: () => other.close() }
    })
    await runReactor('warm')
    const waitForSpare = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
    let created = 0
    const measureAfterPause = async (owner: () => string) => {
      await waitForSpare()
      return { took: await measureCall(() => runReactor(owner())) }
    }
    const first = await measureCalls(20, () => measureAfterPause(() => `new ${created++}`))
    const warm = await measureCalls(20, () => measureAfterPause(() => 'warm'))
    const burst = await measureCalls(calls, async () => ({
      took: await measureCall(() => runReactor('warm')),
    }))
    await waitForSpare()
    const steady = summarizeTimes(
      await Promise.all(
        Array.from({ length: 500 }, async (_, at) => {
          await new Promise((resolve) => setTimeout(resolve, at * STEADY_MS))
          return measureCall(() => runReactor('warm'))
        }),
      ),
    )
    const call = compileCode()
    const in_process = await measureCalls(calls, async () => ({ took: await measureCall(call) }))
    const bare_node = await measureCalls(9, async () => {
      const startedAt = performance.now()
      spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
      return { took: (performance.now() - startedAt) * 1000 }
    })
    const overHttp = await measureCreated(vault)
    const memory_mb = await measureMemory(pool)
    return { cold, first, created: overHttp, warm, burst, steady, in_process, bare_node, memory_mb }
  } finally {
    await pool.close()
  }
}

/** Measures the first call of a reactor over HTTP, right after it was created. */
async function measureCreated(vault: BenchVault): Promise<Times> {
  const keys = { create: '', call: '' }
  await changeVault(vault, async (engine) => {
    const { applications } = engine.as(owner)
    const createKey = async (type: 'management' | 'private', permission: Permission) =>
      (await applications.create({ name: type, type, permissions: [permission] })).key ?? ''
    keys.create = await createKey('management', 'reactor:create')
    keys.call = await createKey('private', 'reactor:invoke')
  })
  const coffer = startServe(vault, root, ['--reactors'])
  const url = await readUrl(coffer)
  const sendRequest = async (key: string, path: string, body: unknown): Promise<{ id?: string }> => {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status}.`)
    return (await response.json()) as { id?: string }
  }
  try {
    return await measureCalls(20, async () => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      const { id } = await sendRequest(keys.create, '/reactors', { name: 'new', code })
      return {
        took: await measureCall(() =>
          sendRequest(keys.call, `/reactors/${id}/react`, { args: JSON.parse(args) }),
        ),
      }
    })
  } finally {
    await stopChild(coffer)
  }
}

/** Measures the memory of eight processes that run code at the same time: their resident memory in MiB, added up. */
async function measureMemory(pool: ReactorPool): Promise<number> {
  const code =
    'module.exports = () => new Promise((resolve) => setTimeout(() => resolve(process.memoryUsage.rss()), 500))'
  const runs = Array.from({ length: 8 }, (_, at) => pool.run({ ...whose, owner: `memory ${at}`, code, args }))
  const all = (await Promise.all(runs)).map(({ ended }) =>
    ended.kind === 'returned' ? Number(ended.value) : 0,
  )
  return Math.round(all.reduce((sum, each) => sum + each, 0) / 2 ** 20)
}

/** Starts the built runner, because starting it from its source takes longer. */
async function forkBuilt(): Promise<Fork> {
  const fork = await forkIsolated()
  const built = path.join(root, 'out', 'reactors')
  const file = path.join(built, 'main.cjs')
  return (start) =>
    fork({
      ...start,
      file,
      execArgv: [...start.execArgv, `--allow-fs-read=${built}`],
      readable: [...start.readable, built],
    })
}

function compileCode(): () => Promise<unknown> {
  const module: { exports: unknown } = { exports: null }
  const { getBuiltinModule } = process
  vm.compileFunction(code, ['module', 'require'])(module, getBuiltinModule)
  const call = module.exports as (req: unknown) => Promise<unknown>
  return async () => JSON.stringify(await call({ args: JSON.parse(args) }))
}

type TimedCall = { readonly took: number; readonly after?: () => Promise<void> }

async function measureCalls(times: number, call: () => Promise<TimedCall>): Promise<Times> {
  const all: number[] = []
  for (let at = 0; at < times; at++) {
    const { took, after } = await call()
    all.push(took)
    await after?.()
  }
  return summarizeTimes(all)
}

/** Measures a call in microseconds. Throws if the code did not return a result. */
async function measureCall(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  const result = await call()
  const took = (performance.now() - startedAt) * 1000
  const ended = (result as { ended?: { kind: string } } | string | undefined) ?? {}
  if (typeof ended === 'object' && ended.ended && ended.ended.kind !== 'returned')
    throw new Error(JSON.stringify(ended.ended))
  return took
}

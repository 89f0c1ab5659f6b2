import { spawnSync } from 'node:child_process'
import path from 'node:path'
import vm from 'node:vm'
import { type Fork, forkNode } from '../../electron/code-runner/fork.ts'
import { ReactorPool } from '../../electron/code-runner/pool.ts'

const root = path.join(import.meta.dirname, '..', '..')

export type Reactors = {
  /** Microseconds: the median of several calls, and the slowest. */
  readonly cold: Times
  readonly first: Times
  readonly warm: Times
  readonly burst: Times
  /** Calls at a rate of 100 per second. */
  readonly steady: Times
  readonly in_process: Times
}
type Times = { readonly p50: number; readonly worst: number }

const code = `const { createHash } = require('crypto')
module.exports = async (req) => ({ raw: { hash: createHash('sha256').update(req.args.text).digest('hex') } })`
const args = JSON.stringify({ text: 'a'.repeat(1000) })

/** The pause before a call, in which spare processes start, and the interval of 100 calls per second. In ms. */
const PAUSE_MS = 200
const STEADY_MS = 10

/**
 * Measures calls without a ready process, the first calls of reactors and later calls of one reactor (each after a
 * pause), calls without pauses, calls at 100 per second, and the same code called in this process.
 */
export async function measureReactors(calls: number): Promise<Reactors> {
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  const options = { packagesDir: null, fork: forkBuilt }
  const pool = new ReactorPool(options)
  const whose = { caller: 'caller', configuration: {}, application: null, limit_ms: 30_000 }
  const run = (owner: string, by = pool) => by.run({ ...whose, owner, code, args })
  try {
    const cold = await timed(9, async () => {
      const other = new ReactorPool({ ...options, spare: 0 })
      return { took: await tookOf(() => run('cold', other)), after: () => other.close() }
    })
    await run('warm')
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))
    let made = 0
    const after = async (owner: () => string) => {
      await pause()
      return { took: await tookOf(() => run(owner())) }
    }
    const first = await timed(20, () => after(() => `new ${made++}`))
    const warm = await timed(20, () => after(() => 'warm'))
    const burst = await timed(calls, async () => ({ took: await tookOf(() => run('warm')) }))
    await pause()
    const steady = timesOf(
      await Promise.all(
        Array.from({ length: 500 }, async (_, at) => {
          await new Promise((resolve) => setTimeout(resolve, at * STEADY_MS))
          return tookOf(() => run('warm'))
        }),
      ),
    )
    const call = inProcess()
    const in_process = await timed(calls, async () => ({ took: await tookOf(call) }))
    return { cold, first, warm, burst, steady, in_process }
  } finally {
    await pool.close()
  }
}

/** Starts the built runner, because starting it from its source takes longer. */
const forkBuilt: Fork = (start) => {
  const built = path.join(root, 'out', 'reactors')
  const execArgv = [...start.execArgv, `--allow-fs-read=${built}`]
  return forkNode()({ ...start, file: path.join(built, 'main.cjs'), execArgv })
}

function inProcess(): () => Promise<unknown> {
  const module: { exports: unknown } = { exports: null }
  const { getBuiltinModule } = process
  vm.compileFunction(code, ['module', 'require'])(module, getBuiltinModule)
  const call = module.exports as (req: unknown) => Promise<unknown>
  return async () => JSON.stringify(await call({ args: JSON.parse(args) }))
}

type Timed = { readonly took: number; readonly after?: () => Promise<void> }

async function timed(times: number, call: () => Promise<Timed>): Promise<Times> {
  const all: number[] = []
  for (let at = 0; at < times; at++) {
    const { took, after } = await call()
    all.push(took)
    await after?.()
  }
  return timesOf(all)
}

/** Measures a call in microseconds. Throws if the code did not return a result. */
async function tookOf(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  const result = await call()
  const took = (performance.now() - begun) * 1000
  const ended = (result as { ended?: { kind: string } } | string | undefined) ?? {}
  if (typeof ended === 'object' && ended.ended && ended.ended.kind !== 'returned')
    throw new Error(JSON.stringify(ended.ended))
  return took
}

function timesOf(took: number[]): Times {
  took.sort((a, b) => a - b)
  return { p50: took[Math.floor(took.length / 2)] ?? 0, worst: took.at(-1) ?? 0 }
}

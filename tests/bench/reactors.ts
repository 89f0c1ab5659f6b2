import { spawnSync } from 'node:child_process'
import path from 'node:path'
import vm from 'node:vm'
import { type Fork, forkNode } from '../../electron/reactors/fork.ts'
import { ReactorPool } from '../../electron/reactors/pool.ts'

const root = path.join(import.meta.dirname, '..', '..')

export type Reactors = {
  /** Microseconds: the median of several calls, and the slowest. */
  readonly first: Times
  readonly warm: Times
  readonly in_process: Times
}
type Times = { readonly p50: number; readonly worst: number }

const code = `const { createHash } = require('crypto')
module.exports = async (req) => ({ raw: { hash: createHash('sha256').update(req.args.text).digest('hex') } })`
const args = JSON.stringify({ text: 'a'.repeat(1000) })

/** The first call of a reactor, a call of a warm one, and the same code called in this process. */
export async function measureReactors(calls: number): Promise<Reactors> {
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  const pool = new ReactorPool({ packagesDir: null, fork: forkBuilt })
  const run = (owner: string | null) =>
    pool.run({ owner, caller: 'caller', code, args, configuration: {}, application: null, limit_ms: 30_000 })
  try {
    const first = await timed(9, () => run(null))
    await run('warm')
    return { first, warm: await timed(calls, () => run('warm')), in_process: await timed(calls, inProcess()) }
  } finally {
    await pool.close()
  }
}

/** The runner as it is shipped: from its source it takes longer to start. */
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

async function timed(times: number, call: () => Promise<unknown>): Promise<Times> {
  const took: number[] = []
  for (let at = 0; at < times; at++) {
    const begun = performance.now()
    await call()
    took.push((performance.now() - begun) * 1000)
  }
  took.sort((a, b) => a - b)
  return { p50: took[Math.floor(took.length / 2)] ?? 0, worst: took.at(-1) ?? 0 }
}

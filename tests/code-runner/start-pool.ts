import { onTestFinished } from 'vitest'
import { type PoolOptions, ReactorPool } from '../../electron/code-runner/pool.ts'
import type { CodeRun, RunResult } from '../../electron/code-runner/run.ts'

/** Starts a pool that is closed when the test ends. */
export function startPool(options: Partial<PoolOptions> = {}): ReactorPool {
  const pool = new ReactorPool({ packagesDir: null, ...options })
  onTestFinished(() => pool.close())
  return pool
}

export function createRun(code: string, more: Partial<CodeRun> = {}): CodeRun {
  return {
    owner: 'reactor',
    caller: 'caller',
    code,
    contract: { image: 'node-bt', role: 'reactor' },
    args: '{}',
    configuration: {},
    application: null,
    limit_ms: 30_000,
    ...more,
  }
}

/** Code that evaluates its arguments, so that one process can run any expression. */
const evaluate = 'module.exports = (req) => eval(req.args)'

export function evaluateInPool(pool: ReactorPool, expression: string): Promise<RunResult> {
  return pool.run(createRun(evaluate, { args: JSON.stringify(expression) }))
}

/** Returns the value that a run returned. Throws if the run ended in another way. */
export function getReturnValue({ ended }: RunResult): unknown {
  if (ended.kind !== 'returned') throw new Error(`ended as ${JSON.stringify(ended)}`)
  return JSON.parse(ended.value)
}

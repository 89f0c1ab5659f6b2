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
    args: '{}',
    configuration: {},
    application: null,
    limit_ms: 30_000,
    ...more,
  }
}

/** Runs expressions in one process: code that evaluates its arguments, as an attacker would like. */
const evaluate = 'module.exports = (req) => eval(req.args)'

export function evaluateInPool(pool: ReactorPool, expression: string): Promise<RunResult> {
  return pool.run(createRun(evaluate, { args: JSON.stringify(expression) }))
}

/** The returned value of a run. */
export function getReturnValue({ ended }: RunResult): unknown {
  if (ended.kind !== 'returned') throw new Error(`ended as ${JSON.stringify(ended)}`)
  return JSON.parse(ended.value)
}

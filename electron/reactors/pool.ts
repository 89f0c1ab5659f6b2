import type { Fork } from './fork.ts'
import type { Run, RunResult } from './run.ts'

export type PoolOptions = {
  /** Where packages are, `node_modules` within it; null without any. */
  readonly packagesDir: string | null
  /** How a process is started; a Node of its own unless given. */
  readonly fork?: Fork
  /** How long a warm process waits for its next run. */
  readonly idle_ms?: number
}

export class ReactorPool {
  constructor(_options: PoolOptions) {}

  /** Runs code in a process of its own. Never rejects: every failure is in the result. */
  run(_run: Run): Promise<RunResult> {
    throw new Error('not built yet')
  }

  /** Kills every process. Runs that wait or are under way end as `cancelled`. */
  async close(): Promise<void> {}
}

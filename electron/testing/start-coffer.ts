import { startChildProcess } from './child-process.ts'
import { startInProcess } from './in-process.ts'
import type { CofferOptions, RunningCoffer } from './index.mjs'

/**
 * Starts an in-memory vault, with its listener, for tests: `const coffer = await startCoffer()`. Rejects with an error
 * that points to the mistake in the seed, or says that the port is taken.
 */
export function startCoffer(options: CofferOptions = {}): Promise<RunningCoffer> {
  return options.beside ? startChildProcess(options) : startInProcess(options)
}

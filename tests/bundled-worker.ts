import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import threads, { Worker, type WorkerOptions } from 'node:worker_threads'
import { isBuiltSince } from './built-fresh.ts'

const root = path.join(import.meta.dirname, '..')
const engine = path.join(root, 'electron', 'engine')
const host = path.join(root, 'electron', 'host')
const built = path.join(root, 'out', 'cli')

const bundles = new Map([
  [path.join(host, 'jobs', 'background-worker.ts'), path.join(built, 'background-worker.js')],
  [path.join(engine, 'db', 'checkpoint-worker.ts'), path.join(built, 'checkpoint-worker.js')],
])

/**
 * Starts worker threads from their bundles, like the program. From its sources, each thread would load up to a hundred
 * files.
 */
class BundledWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(bundles.get(String(file)) ?? file, options)
  }
}

// Installed once per process, because its test files share the module.
if (
  threads.Worker.name !== BundledWorker.name &&
  isBuiltSince('electron/engine', 'electron/host', 'shared')
) {
  threads.Worker = BundledWorker
  syncBuiltinESMExports()
}

import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import threads, { Worker, type WorkerOptions } from 'node:worker_threads'

const root = path.join(import.meta.dirname, '..')
const source = path.join(root, 'electron', 'host', 'work', 'background-worker.ts')
const bundle = path.join(root, 'out', 'cli', 'background-worker.js')

/** Starts the thread of backups from its bundle, as the program does: its sources are a hundred files to read each time. */
class BundledWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file === source ? bundle : file, options)
  }
}

// Once for all files of a process.
if (threads.Worker.name !== BundledWorker.name) {
  threads.Worker = BundledWorker
  syncBuiltinESMExports()
}

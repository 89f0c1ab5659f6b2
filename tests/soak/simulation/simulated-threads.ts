import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import { toCofferError, toErrorTrace } from '../../../electron/engine/index.ts'
import {
  type BackgroundJobs,
  backgroundJobs,
  type ThreadMessage,
} from '../../../electron/host/jobs/background-jobs.ts'
import { toProblem } from '../../../shared/errors.ts'
import type { SimulatedProcess } from './simulated-process.ts'

type ThreadOptions = {
  readonly workerData: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
}

const isJob = (name: string): name is keyof BackgroundJobs => Object.hasOwn(backgroundJobs, name)

/** Runs what a thread would run in this one, as one piece of work. */
export function installThreads(simulated: SimulatedProcess): void {
  function SimulatedThread(_file: string, { workerData: { name, input } }: ThreadOptions): EventEmitter {
    if (!isJob(name)) throw new Error(`The thread ${name} is not simulated.`)
    const thread = new EventEmitter()
    simulated.finishLater(() => {
      thread.emit('message', runJob(name, input))
      thread.emit('exit')
    })
    return Object.assign(thread, { terminate: () => {} })
  }
  Object.assign(threads, { Worker: SimulatedThread })
  syncBuiltinESMExports()
}

function runJob(name: keyof BackgroundJobs, input: Readonly<Record<string, unknown>>): ThreadMessage {
  const members = Object.entries(input).map(([member, value]) => [
    member,
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
  ])
  const run = backgroundJobs[name] as (input: unknown, onProgress: () => void) => unknown
  try {
    return { output: run(Object.fromEntries(members), () => {}) }
  } catch (error) {
    return { problem: toProblem(toCofferError(error)), trace: toErrorTrace(error) }
  }
}

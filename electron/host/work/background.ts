import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { CofferError, type Problem } from '../../../shared/errors.ts'
import { threadFile } from '../../engine/db/thread-file.ts'
import { errorOfTrace } from '../../engine/door/incident.ts'
import type { BackgroundJobs, FromThread } from './background-jobs.ts'

type OnProgress = (done: number, total: number) => void
export type Watch = {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: OnProgress | undefined
}

type Input<Name extends keyof BackgroundJobs> = Parameters<BackgroundJobs[Name]>[0]
type Output<Name extends keyof BackgroundJobs> = ReturnType<BackgroundJobs[Name]>

const WORKER = threadFile(path.join(import.meta.dirname, 'background-worker'))

/**
 * Runs a job in a worker thread, so that nothing else waits for it. Rejects with what the job throws, and with
 * `cancelled` when `signal` aborts; the thread has ended by then.
 */
export async function inBackground<Name extends keyof BackgroundJobs>(
  name: Name,
  input: Input<Name>,
  { signal, onProgress }: Watch = {},
): Promise<Output<Name>> {
  if (signal?.aborted) throw cancelled()
  const { workerData, transferList } = toThread(name, input)
  const worker = new Worker(WORKER, { workerData, transferList, name })
  const stop = () => void worker.terminate()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await new Promise<Output<Name>>((resolve, reject) => {
      let last: FromThread<Output<Name>> | undefined
      let failure: unknown
      worker.on('message', (message: FromThread<Output<Name>>) => {
        if ('done' in message) onProgress?.(message.done, message.total)
        else last = message
      })
      worker.on('error', (error) => {
        failure = error
      })
      worker.on('exit', () => {
        if (last && 'output' in last) resolve(last.output)
        // A job stopped in the middle of a call may still fail in it.
        else if (signal?.aborted) reject(cancelled())
        else if (last && 'problem' in last) reject(fromThread(last))
        else reject(failure ?? new Error(`The thread of ${name} ended early.`))
      })
    })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** SECURITY: send a copy of each buffer: the buffer itself would take along the pool it lies in. */
function toThread(name: string, input: object) {
  const transferList: ArrayBuffer[] = []
  const copied = Object.entries(input).map(([member, value]) => {
    if (!(value instanceof Uint8Array)) return [member, value]
    const own = new Uint8Array(value)
    transferList.push(own.buffer)
    return [member, own]
  })
  return { workerData: { name, input: Object.fromEntries(copied) }, transferList }
}

/** The error the job threw, with a cause from which an incident can be made. */
function fromThread({
  problem: { code, detail },
  trace,
}: Extract<FromThread, { problem: Problem }>): CofferError {
  return new CofferError(code, detail, { cause: errorOfTrace(trace) })
}

/** The error of a cancelled job. */
export function cancelled(): CofferError {
  return new CofferError('cancelled', 'Cancelled. Nothing was changed.')
}

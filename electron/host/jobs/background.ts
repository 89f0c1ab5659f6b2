import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { CofferError, type ProblemDetails } from '../../../shared/errors.ts'
import { createErrorFromTrace, getThreadFile } from '../../engine/index.ts'
import type { OnProgress } from '../backups/unpack-backup.ts'
import type { BackgroundJobs, ThreadMessage } from './background-jobs.ts'

export type JobWatch = {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: OnProgress | undefined
}

type JobInput<Name extends keyof BackgroundJobs> = Parameters<BackgroundJobs[Name]>[0]
type JobOutput<Name extends keyof BackgroundJobs> = ReturnType<BackgroundJobs[Name]>

const WORKER = getThreadFile(path.join(import.meta.dirname, 'background-worker'))

/**
 * Runs a job in a worker thread, so that nothing else waits for it. Rejects with what the job throws, and with
 * `cancelled` when `signal` aborts. The thread has exited by then.
 */
export async function runInBackground<Name extends keyof BackgroundJobs>(
  name: Name,
  input: JobInput<Name>,
  { signal, onProgress }: JobWatch = {},
): Promise<JobOutput<Name>> {
  if (signal?.aborted) throw createCancelledError()
  const { workerData, transferList } = createThreadData(name, input)
  const worker = new Worker(WORKER, { workerData, transferList, name })
  const terminate = () => void worker.terminate()
  signal?.addEventListener('abort', terminate, { once: true })
  try {
    return await new Promise<JobOutput<Name>>((resolve, reject) => {
      let last: ThreadMessage<JobOutput<Name>> | undefined
      let failure: unknown
      worker.on('message', (message: ThreadMessage<JobOutput<Name>>) => {
        if ('done' in message) onProgress?.(message.done, message.total)
        else last = message
      })
      worker.on('error', (error) => {
        failure = error
      })
      worker.on('exit', () => {
        if (last && 'output' in last) resolve(last.output)
        // A job that is aborted in the middle of a call may still fail in that call.
        else if (signal?.aborted) reject(createCancelledError())
        else if (last && 'problem' in last) reject(toJobError(last))
        else reject(failure ?? new Error(`The thread of ${name} exited early.`))
      })
    })
  } finally {
    signal?.removeEventListener('abort', terminate)
  }
}

/**
 * SECURITY: sends a copy of each buffer, because transferring a buffer also transfers the rest of the memory pool that
 * it is a part of.
 */
function createThreadData(name: string, input: object) {
  const transferList: ArrayBuffer[] = []
  const copies = Object.entries(input).map(([member, value]) => {
    if (!(value instanceof Uint8Array)) return [member, value]
    const copy = new Uint8Array(value)
    transferList.push(copy.buffer)
    return [member, copy]
  })
  return { workerData: { name, input: Object.fromEntries(copies) }, transferList }
}

/** Recreates the error that the job threw, with a cause from which an incident can be created. */
function toJobError({
  problem: { code, detail },
  trace,
}: Extract<ThreadMessage, { problem: ProblemDetails }>): CofferError {
  return new CofferError(code, detail, { cause: createErrorFromTrace(trace) })
}

export function createCancelledError(): CofferError {
  return new CofferError('cancelled', 'Cancelled. Nothing was changed.')
}

import { parentPort, workerData } from 'node:worker_threads'
import { toProblem } from '../../../shared/errors.ts'
import { toCofferError, toErrorTrace } from '../../engine/index.ts'
import { type BackgroundJobs, backgroundJobs, type ThreadMessage } from './background-jobs.ts'

type BackgroundJobMessage = { readonly name: keyof BackgroundJobs; readonly input: Record<string, unknown> }

const { name, input } = workerData as BackgroundJobMessage
const postToParent = (message: ThreadMessage) => parentPort?.postMessage(message)
// Buffers arrive as plain byte arrays.
const buffers: Buffer[] = []
for (const [member, value] of Object.entries(input)) {
  if (!(value instanceof Uint8Array)) continue
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  buffers.push(buffer)
  input[member] = buffer
}
try {
  const run = backgroundJobs[name] as (input: unknown, onProgress: (d: number, t: number) => void) => unknown
  postToParent({ output: run(input, (done, total) => postToParent({ done, total })) })
} catch (error) {
  postToParent({ problem: toProblem(toCofferError(error)), trace: toErrorTrace(error) })
} finally {
  // SECURITY: wipe this thread's copies of keys.
  for (const buffer of buffers) buffer.fill(0)
}

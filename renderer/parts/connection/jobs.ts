import { create } from 'zustand'
import type { JobName } from '../../../shared/host.ts'
import { host } from './vault.ts'

type Progress = { readonly done: number; readonly total: number }
type Running = Progress & {
  /** Whether this window started the job, and therefore knows when it ends. */
  readonly ours: boolean
}

const useJobs = create<Readonly<Record<string, Running>>>(() => ({}))
/** Jobs this window has seen end; progress that still arrives for them is late. */
const over = new Set<string>()

/** Records the progress of a job. */
export function followJob(job: string, progress: Progress): void {
  if (over.has(job)) return
  useJobs.setState((jobs) => ({ [job]: { ...progress, ours: jobs[job]?.ours ?? false } }))
}

/** Forgets every job, because they belong to a vault that is no longer open. */
export function forgetJobs(): void {
  over.clear()
  useJobs.setState({}, true)
}

function end(job: JobName): void {
  over.add(job)
  useJobs.setState(({ [job]: _, ...others }) => others, true)
}

/** Runs a long job on the host; returns and throws what `work` does. */
export async function runJob<T>(job: JobName, work: () => Promise<T>): Promise<T> {
  over.delete(job)
  useJobs.setState({ [job]: { done: 0, total: 0, ours: true } })
  try {
    return await work()
  } finally {
    end(job)
  }
}

/** Cancels a job; its `runJob` call then rejects. */
export async function cancelJob(job: JobName): Promise<void> {
  await host.host.cancel({ job })
  if (!useJobs.getState()[job]?.ours) end(job)
}

/** Whether a job is running that has not done anything yet. */
export function isBeginning(job: JobName): boolean {
  return useJobs.getState()[job]?.done === 0
}

/** The progress of a running job; undefined if it is not running. */
export function useJob(job: JobName): Progress | undefined {
  const running = useJobs((jobs) => jobs[job])
  return running && (running.ours || running.done < running.total) ? running : undefined
}

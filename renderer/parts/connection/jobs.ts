import { create } from 'zustand'
import type { JobName } from '../../../shared/host/events.ts'
import { hasCode } from '../messages/describe-error.ts'
import { host } from './vault.ts'

type Progress = { readonly done: number; readonly total: number }
type RunningJob = Progress & {
  /** Whether this window started the job, and so gets its result. */
  readonly ours: boolean
}

const useJobs = create<Readonly<Record<string, RunningJob>>>(() => ({}))
/** Jobs whose result arrived before the event that they ended. Until then, their progress events are stale. */
const endedJobs = new Set<string>()

export function followJob(job: string, progress: Progress): void {
  if (endedJobs.has(job)) return
  useJobs.setState((jobs) => ({ [job]: { ...progress, ours: jobs[job]?.ours ?? false } }))
}

/** Clears all jobs, because they belong to a vault that is no longer open. */
export function clearJobs(): void {
  endedJobs.clear()
  useJobs.setState({}, true)
}

/** Clears the jobs of other windows, because events may have been missed. Running jobs report again. */
export function dropOtherJobs(): void {
  endedJobs.clear()
  useJobs.setState((jobs) => Object.fromEntries(Object.entries(jobs).filter(([, { ours }]) => ours)), true)
}

/** Records the host's event that a job has ended, whichever window started it. */
export function endJob(job: JobName): void {
  if (!endedJobs.delete(job)) dropJob(job)
}

function dropJob(job: JobName): void {
  useJobs.setState(({ [job]: _, ...others }) => others, true)
}

/** Runs a long job on the host. Returns the result of `work`, or throws its error. */
export async function runJob<T>(job: JobName, work: () => Promise<T>): Promise<T> {
  useJobs.setState((jobs) => ({ [job]: { done: 0, total: 0, ...jobs[job], ours: true } }))
  const isOurs = () => useJobs.getState()[job]?.ours
  try {
    const result = await work()
    if (isOurs()) markEnded(job)
    return result
  } catch (error) {
    // Refused, because another window runs this job: keep showing its progress.
    if (hasCode(error, 'conflict'))
      useJobs.setState((jobs) => (jobs[job] ? { [job]: { ...jobs[job], ours: false } } : {}))
    else if (isOurs()) markEnded(job)
    throw error
  }
}

function markEnded(job: JobName): void {
  endedJobs.add(job)
  dropJob(job)
}

/** Cancels a job. Its `runJob` call then rejects. */
export async function cancelJob(job: JobName): Promise<void> {
  await host.cancel({ job })
  if (!useJobs.getState()[job]?.ours) dropJob(job)
}

/** Whether a job is running but has made no progress yet. */
export function isStarting(job: JobName): boolean {
  return useJobs.getState()[job]?.done === 0
}

/** The progress of a running job; undefined if it is not running. */
export function useJob(job: JobName): Progress | undefined {
  return getVisibleJob(useJobs((jobs) => jobs[job]))
}

export function isRunning(job: JobName): boolean {
  return getVisibleJob(useJobs.getState()[job]) !== undefined
}

function getVisibleJob(job: RunningJob | undefined): RunningJob | undefined {
  return job && (job.ours || job.done < job.total) ? job : undefined
}

import { create } from 'zustand'
import type { JobName } from '../../../shared/host.ts'
import { hasCode } from '../messages/describe-error.ts'
import { host } from './vault.ts'

type Progress = { readonly done: number; readonly total: number }
type RunningJob = Progress & {
  /** Whether this window started the job, and therefore has its answer when it ends. */
  readonly ours: boolean
}

const useJobs = create<Readonly<Record<string, RunningJob>>>(() => ({}))
/** Jobs that this window has the answer of before the host says that they ended; progress until then is late. */
const endedJobs = new Set<string>()

/** Records the progress of a job. */
export function followJob(job: string, progress: Progress): void {
  if (endedJobs.has(job)) return
  useJobs.setState((jobs) => ({ [job]: { ...progress, ours: jobs[job]?.ours ?? false } }))
}

/** Forgets every job, because they belong to a vault that is no longer open. */
export function clearJobs(): void {
  endedJobs.clear()
  useJobs.setState({}, true)
}

/** Forgets the jobs of others, and which ended: events were missed. What still runs reports again. */
export function dropOtherJobs(): void {
  endedJobs.clear()
  useJobs.setState((jobs) => Object.fromEntries(Object.entries(jobs).filter(([, { ours }]) => ours)), true)
}

/** Records that the host has ended a job, whichever window began it. */
export function endJob(job: JobName): void {
  if (!endedJobs.delete(job)) dropJob(job)
}

function dropJob(job: JobName): void {
  useJobs.setState(({ [job]: _, ...others }) => others, true)
}

/** Runs a long job on the host; returns and throws what `work` does. */
export async function runJob<T>(job: JobName, work: () => Promise<T>): Promise<T> {
  useJobs.setState((jobs) => ({ [job]: { done: 0, total: 0, ...jobs[job], ours: true } }))
  const isOurs = () => useJobs.getState()[job]?.ours
  try {
    const answer = await work()
    if (isOurs()) markAnswered(job)
    return answer
  } catch (error) {
    // Refused, because another window runs it: that goes on.
    if (hasCode(error, 'conflict'))
      useJobs.setState((jobs) => (jobs[job] ? { [job]: { ...jobs[job], ours: false } } : {}))
    else if (isOurs()) markAnswered(job)
    throw error
  }
}

function markAnswered(job: JobName): void {
  endedJobs.add(job)
  dropJob(job)
}

/** Cancels a job; its `runJob` call then rejects. */
export async function cancelJob(job: JobName): Promise<void> {
  await host.host.cancel({ job })
  if (!useJobs.getState()[job]?.ours) dropJob(job)
}

/** Whether a job is running that has not done anything yet. */
export function isStarting(job: JobName): boolean {
  return useJobs.getState()[job]?.done === 0
}

/** The progress of a running job; undefined if it is not running. */
export function useJob(job: JobName): Progress | undefined {
  return getVisibleJob(useJobs((jobs) => jobs[job]))
}

/** Whether a job is running, as far as this window knows. */
export function isRunning(job: JobName): boolean {
  return getVisibleJob(useJobs.getState()[job]) !== undefined
}

function getVisibleJob(job: RunningJob | undefined): RunningJob | undefined {
  return job && (job.ours || job.done < job.total) ? job : undefined
}

import { create } from 'zustand'
import type { JobName } from '../../../shared/host.ts'
import { host } from './vault.ts'

type Progress = { readonly done: number; readonly total: number }
type Running = Progress & {
  /** Whether this window began it, and so knows when it ends. */
  readonly ours: boolean
}

const useJobs = create<Readonly<Record<string, Running>>>(() => ({}))
/** Jobs this window has seen the end of: what is still told of them comes late. */
const over = new Set<string>()

/** Takes in how far a job is. */
export function followJob(job: string, progress: Progress): void {
  if (over.has(job)) return
  useJobs.setState((jobs) => ({ [job]: { ...progress, ours: jobs[job]?.ours ?? false } }))
}

/** Forgets every job: they were of a vault that is open no more. */
export function forgetJobs(): void {
  over.clear()
  useJobs.setState({}, true)
}

function end(job: JobName): void {
  over.add(job)
  useJobs.setState(({ [job]: _, ...others }) => others, true)
}

/** Has the host do what takes long; gives and throws what it does. */
export async function runJob<T>(job: JobName, work: () => Promise<T>): Promise<T> {
  over.delete(job)
  useJobs.setState({ [job]: { done: 0, total: 0, ours: true } })
  try {
    return await work()
  } finally {
    end(job)
  }
}

/** Stops a job; whoever ran it is told so. */
export async function cancelJob(job: JobName): Promise<void> {
  await host.host.cancel({ job })
  if (!useJobs.getState()[job]?.ours) end(job)
}

/** How far a job is that runs now, or undefined. */
export function useJob(job: JobName): Progress | undefined {
  const running = useJobs((jobs) => jobs[job])
  return running && (running.ours || running.done < running.total) ? running : undefined
}

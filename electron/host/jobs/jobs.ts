import { CofferError } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host/events.ts'
import type { JobWatch } from './background.ts'

type JobListener = {
  readonly onProgress: (job: JobName, done: number, total: number) => void
  readonly onEnd: (job: JobName) => void
}

/** Describes each running job, as a sentence. */
export const jobDescriptions: Readonly<Record<JobName, string>> = {
  backup: 'A backup is being created.',
  verify: 'A backup is being checked.',
  restore: 'A backup is being restored.',
  'create vault': 'A vault is being created.',
  'rotate data key': 'The data key is being rotated.',
  'rotate master': 'The master secret is being changed.',
  import: 'Tokens are being imported.',
  export: 'Tokens are being exported.',
  'selected tokens': 'Selected tokens are being changed or deleted.',
  conform: 'A server is being compared with Coffer.',
}

/** The long jobs of a host, by name. They report progress and their end, and can be cancelled. */
export class Jobs {
  readonly #running = new Map<JobName, { controller: AbortController; ended: Promise<unknown> }>()
  readonly #listener: JobListener

  constructor(listener: JobListener) {
    this.#listener = listener
  }

  /** Runs a job. Throws `conflict` while a job of that name is running. */
  async runJob<T>(job: JobName, work: (watch: JobWatch) => Promise<T>): Promise<T> {
    if (this.#running.has(job))
      throw new CofferError('conflict', `${jobDescriptions[job]} Wait until that is done.`)
    const controller = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#running.set(job, { controller, ended })
    try {
      return await work({
        signal: controller.signal,
        onProgress: (done, total) => this.#listener.onProgress(job, done, total),
      })
    } finally {
      end()
      this.#running.delete(job)
      this.#listener.onEnd(job)
    }
  }

  /** Cancels a job if it is running. The job itself then rejects. */
  cancelJob(job: JobName): void {
    this.#running.get(job)?.controller.abort()
  }

  /** The names of the running jobs. */
  get running(): JobName[] {
    return [...this.#running.keys()]
  }

  /** Resolves once no job is running, whether the jobs succeeded or failed. */
  async waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    }
  }
}

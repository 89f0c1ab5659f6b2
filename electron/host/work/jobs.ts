import { CofferError } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host.ts'
import type { Watch } from './background.ts'

type Tell = (job: JobName, done: number, total: number) => void

/** The long pieces of work of a host, each under a name: told of while they run, ended when they are cancelled. */
export class Jobs {
  readonly #running = new Map<JobName, { controller: AbortController; ended: Promise<unknown> }>()
  readonly #tell: Tell

  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** Runs a job; throws `conflict` while one of that name runs. */
  async run<T>(job: JobName, work: (watch: Watch) => Promise<T>): Promise<T> {
    if (this.#running.has(job)) throw new CofferError('conflict', 'This is being done already. Wait for it.')
    const controller = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#running.set(job, { controller, ended })
    try {
      return await work({
        signal: controller.signal,
        onProgress: (done, total) => this.#tell(job, done, total),
      })
    } finally {
      end()
      this.#running.delete(job)
    }
  }

  /** Ends a job, if it runs; it then says so itself. */
  cancel(job: JobName): void {
    this.#running.get(job)?.controller.abort()
  }

  /** The names of the jobs that run now. */
  get running(): JobName[] {
    return [...this.#running.keys()]
  }

  /** Resolves once no job runs any more, whatever each came to. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    }
  }
}

import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/index.ts'

/** Returns the operations on jobs of the open vault. Throws `locked` once it is not open. */
export type OpenJobs = () => ReturnType<Engine['as']>['accountUpdaterJobs']

/**
 * Processes the rows of jobs, with other requests in between: of the jobs with these ids, or of all that were
 * interrupted (rule Z-03). If the vault is locked, the rest is processed when it is opened again.
 */
export async function processJobs(openJobs: OpenJobs, ids?: readonly string[]): Promise<void> {
  try {
    for (const id of ids ?? (await openJobs().listInterrupted({})).ids)
      while (!(await openJobs().updateSome({ id })).is_done) await turn()
  } catch (error) {
    if (!(error instanceof CofferError && error.code === 'locked')) throw error
  }
}

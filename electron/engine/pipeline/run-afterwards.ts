import { setImmediate as turn } from 'node:timers/promises'
import type { ReportIncident } from './incident.ts'

/**
 * Runs `work` in a later turn, so that no response waits for it. Errors are reported under `where` and not thrown,
 * because the response was correct and an error in bookkeeping must not end the program.
 */
export function runAfterwards(
  report: ReportIncident | undefined,
  where: string,
  work: () => unknown,
  trace_id?: string,
): void {
  turn()
    .then(work)
    .catch((error) => report?.(error, where, trace_id))
}

import { setImmediate as turn } from 'node:timers/promises'
import type { ReportIncident } from './incident.ts'

/**
 * Runs `work` in a later turn, when no response waits for it. Errors are reported under `where`: a mistake in
 * bookkeeping must not end the program, whose response was right.
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

import { setImmediate as turn } from 'node:timers/promises'
import type { ReportIncident } from './incident.ts'

/**
 * Runs work for which no answer waits, in a later turn. What it throws or rejects with is reported under `where`: a
 * mistake in bookkeeping must not end the program, whose answer was right.
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

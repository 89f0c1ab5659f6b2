import type { LogTimeline } from '../../../shared/schemas/log.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { addSpans } from './add-spans.ts'
import { type RecordFilter, toOwnerLogQuery } from './record.ts'

const MAX_SPANS = 80

type TimelineState = {
  /** The counts so far; null before the first response. */
  readonly timeline: LogTimeline | null
  readonly counting: boolean
}

export const useTimeline = createVaultStore<TimelineState>(() => ({ timeline: null, counting: false }))

const latestRead = createRequestGuard()

/** Counts the records that match the filters over time, one part of the log at a time. */
export async function readTimeline(filters: RecordFilter): Promise<void> {
  const isCurrent = latestRead.start()
  const query = toOwnerLogQuery(filters)
  let counted = await vault.logs.timeline({ ...query, spans: MAX_SPANS })
  while (isCurrent() && counted.next !== null) {
    useTimeline.setState({ timeline: counted, counting: true })
    const { from, until, step_ms, next } = counted
    const more = await vault.logs.timeline({
      ...query,
      // The first response determines the spans, and later responses must use the same ones.
      ...(query.start_date === undefined && { start_date: from }),
      step_ms,
      before: next,
    })
    counted = { ...more, from, until, spans: addSpans(counted.spans, more.spans) }
  }
  if (isCurrent()) useTimeline.setState({ timeline: counted, counting: false })
}

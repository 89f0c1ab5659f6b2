import type { LogTimeline } from '../../../shared/schemas/log.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'
import { added } from './add-spans.ts'
import { ownerQueryOf, type RecordFilters } from './record.ts'

/** The most spans that are shown. */
const SPANS = 80

type Counted = {
  /** The counts so far; null before the first. */
  readonly timeline: LogTimeline | null
  /** Older records are still being counted. */
  readonly counting: boolean
}

export const useTimeline = vaultStore<Counted>(() => ({ timeline: null, counting: false }))

const readings = latest()

/** Counts the records that pass the filters over time, a part of the log at a time. */
export async function readTimeline(filters: RecordFilters): Promise<void> {
  const isWanted = readings.begin()
  const query = ownerQueryOf(filters)
  let counted = await vault.logs.timeline({ ...query, spans: SPANS })
  while (isWanted() && counted.next !== null) {
    useTimeline.setState({ timeline: counted, counting: true })
    const { from, until, step_ms, next } = counted
    const more = await vault.logs.timeline({
      ...query,
      // As in the first part, which decided on them.
      ...(query.start_date === undefined && { start_date: from }),
      end_date: until,
      step_ms,
      before: next,
    })
    counted = { ...more, from, spans: added(counted.spans, more.spans) }
  }
  if (isWanted()) useTimeline.setState({ timeline: counted, counting: false })
}

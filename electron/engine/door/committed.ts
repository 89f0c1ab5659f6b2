import type { WrittenLogRecord } from './records.ts'

/** What one transaction collected for others to hear of. */
export type Committed = {
  readonly records: readonly WrittenLogRecord[]
}

/** Delivers what was collected, once it is on disk. Must not throw, and must not call the engine synchronously. */
export type Deliver = (committed: Committed) => void

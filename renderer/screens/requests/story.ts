import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'
import type { RunSummary } from '../../../shared/schemas/reactor.ts'
import type { DeliverySummary } from '../../../shared/schemas/webhook.ts'
import type { vault as vaultClient } from '../../parts/connection/vault.ts'
import { findCall, isProxiedCall } from './ledger-lines.ts'
import type { LogListRecord } from './record.ts'

/** What is stored about a request: its records, oldest first, and what it caused. */
export type Story = {
  readonly records: readonly FullLog[]
  /** The saved call of a proxy; null if none is stored. */
  readonly exchange: ExchangeSummary | null
  /** Stored runs of code, oldest first. */
  readonly runs: readonly RunSummary[]
  /** Deliveries of its events, oldest first. */
  readonly deliveries: readonly DeliverySummary[]
}

/** Enough for one call, with its records for tokens, for transforms, and for the response. */
const MAX_RECORDS = 50
/** Runs and saved calls are stored within this time after their record, or later if no request with its id follows. */
const STORED_WITHIN_MS = 2000

/** Reads what is stored about the request of a record. A trace id that was sent again has other requests, too. */
export async function readStory(record: LogListRecord, vault: typeof vaultClient): Promise<Story> {
  const { trace_id } = record
  const [log, exchanges, runs, deliveries] = await Promise.all([
    vault.logs.find({ where: [{ field: 'trace', value: trace_id }], size: MAX_RECORDS }),
    vault.exchanges.list({ trace_id }),
    vault.reactorRuns.list({ trace_id }),
    vault.deliveries.listOfRequest({ trace_id }),
  ])
  const own = findCall(record, log.data)
  const records = await Promise.all(own.toReversed().map(({ id }) => vault.logs.get({ id })))
  const getStart = (each: LogListRecord) => Date.parse(each.created_at) - each.duration_ms
  const started = Math.min(...own.map(getStart))
  const ended = Math.max(...own.map((each) => Date.parse(each.created_at)))
  const later = log.data.filter(({ created_at }) => Date.parse(created_at) > ended)
  const last = Math.max(ended + STORED_WITHIN_MS, Math.min(...later.map(getStart)))
  const isOwn = ({ created_at }: { readonly created_at: string }) =>
    Date.parse(created_at) >= Math.floor(started) && Date.parse(created_at) <= last
  // An event has the time of the record that caused it.
  const times = new Set(own.map(({ created_at }) => created_at))
  return {
    records,
    exchange: (own.some(isProxiedCall) && exchanges.data.find(isOwn)) || null,
    runs: runs.data.filter(isOwn).toReversed(),
    deliveries: deliveries.data.filter(({ created_at }) => times.has(created_at)).toReversed(),
  }
}

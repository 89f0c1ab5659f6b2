import type { LogListRecord } from './record.ts'

/** A line of the list: a record, or what else is stored about the call of the line above. */
export type LedgerLine = LogListRecord & {
  /** How many lines the line unfolds into, and whether it is unfolded; absent for a single record. */
  readonly fold?: { readonly parts: number; readonly isOpen: boolean }
  /** Whether the line belongs to the one above it. */
  readonly isPart?: true
  /** Where a line that is no record leads. */
  readonly href?: string
}

/** Whether a record is about a call through a proxy. A management call has a path below `/proxies`. */
export function isProxiedCall({ action, path }: Pick<LogListRecord, 'action' | 'path'>): boolean {
  return action.startsWith('proxies.') && /^\/proxy(?:[/?]|$)/.test(path ?? '')
}

/** Clocks and rounding may place the first record of a call this long before the call's recorded start. */
const TOLERANCE_MS = 20

/**
 * Whether an earlier record belongs to the same call: it has the trace id and the path, and a time within the duration
 * of the call. Programs may send the same trace id again, so the id alone says too little.
 */
function isWithin(call: LogListRecord, { trace_id, path, created_at }: LogListRecord): boolean {
  const ended = Date.parse(call.created_at)
  const at = Date.parse(created_at)
  const started = ended - call.duration_ms - TOLERANCE_MS
  return trace_id === call.trace_id && path === call.path && at >= started && at <= ended
}

/** Returns the records of the call that a record belongs to, newest first; `others` have its trace id. */
export function findCall(record: LogListRecord, others: readonly LogListRecord[]): readonly LogListRecord[] {
  const call = others.find((each) => isWithin(each, record)) ?? record
  const own = others.filter((each) => isWithin(call, each))
  return own.length > 0 ? own : [record]
}

/** Groups the records of each proxied call, newest first. */
function groupCalls(records: readonly LogListRecord[]): readonly (readonly LogListRecord[])[] {
  const groups: LogListRecord[][] = []
  const latest = new Map<string, LogListRecord[]>()
  for (const record of records) {
    const known = isProxiedCall(record) ? latest.get(record.trace_id) : undefined
    if (known?.[0] && isWithin(known[0], record)) known.push(record)
    else {
      const group = [record]
      groups.push(group)
      if (isProxiedCall(record)) latest.set(record.trace_id, group)
    }
  }
  return groups
}

/** The lines of the list: one for each call, and below an unfolded one its other records and `extras`. */
export function toLedgerLines(
  records: readonly LogListRecord[],
  unfolded: ReadonlyMap<string, readonly LedgerLine[]>,
): readonly LedgerLine[] {
  return groupCalls(records).flatMap((group): LedgerLine[] => {
    const [head, ...parts] = group
    if (!head) return []
    if (!isProxiedCall(head)) return [head]
    const extras = unfolded.get(head.id)
    const line = { ...head, fold: { parts: parts.length, isOpen: extras !== undefined } }
    return [line, ...(extras ? parts.concat(extras) : []).map((part) => ({ ...part, isPart: true as const }))]
  })
}

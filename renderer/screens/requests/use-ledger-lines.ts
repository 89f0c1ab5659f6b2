import { useEffect, useMemo, useRef, useState } from 'react'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { vault } from '../../parts/connection/vault.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { type LedgerLine, toLedgerLines } from './ledger-lines.ts'
import { isUnmaskedId, type LogListRecord } from './record.ts'
import { readStory } from './story.ts'
import { strings } from './strings.ts'

/** The lines of the list, and the function that unfolds a call. */
export function useLedgerLines(rows: readonly LogListRecord[], isOwner: boolean) {
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, readonly LedgerLine[]>>(new Map())
  async function setOpen(line: LedgerLine, isOpen: boolean) {
    const others = [...unfolded].filter(([id]) => id !== line.id)
    setUnfolded(new Map(isOpen ? [...others, [line.id, []]] : others))
    if (isOpen) await readExtras(line)
  }
  async function readExtras(line: LogListRecord) {
    const extras = await readCallLines(line).catch(handleBackgroundError)
    if (extras) setUnfolded((now) => (now.has(line.id) ? new Map(now).set(line.id, extras) : now))
  }
  const readAgain = useRef(async () => {})
  readAgain.current = async () => {
    for (const row of rows) if (unfolded.has(row.id)) await readExtras(row)
  }
  const hasUnfolded = unfolded.size > 0
  // Calls, runs and deliveries are saved after the record.
  useEffect(
    () =>
      hasUnfolded
        ? followChanges(['exchange', 'reactor_run', 'delivery'], () => readAgain.current())
        : undefined,
    [hasUnfolded],
  )
  const lines = useMemo<readonly LedgerLine[]>(
    () => (isOwner ? toLedgerLines(rows, unfolded) : rows),
    [rows, unfolded, isOwner],
  )
  return { lines, setOpen }
}

/** Reads the saved call and the deliveries of a proxied call, as lines of the list. */
async function readCallLines(head: LogListRecord): Promise<readonly LedgerLine[]> {
  if (!isUnmaskedId(head.trace_id)) return []
  const { exchange, runs, deliveries } = await readStory(head, vault)
  const createLine = (id: string, part: Pick<LedgerLine, 'created_at' | 'href'> & Partial<LedgerLine>) => {
    const { tenant_id, trace_id, operation } = head
    const blank = { entity_type: '', message: '', action: '', duration_ms: 0, status: 0 }
    return { ...blank, tenant_id, trace_id, operation, id, ...part }
  }
  return [
    ...(exchange ? [exchange] : []).map(({ id, host, path, status, method, created_at, duration_ms }) =>
      createLine(`exchange ${id}`, {
        created_at,
        status: status ?? 0,
        method,
        path: `${host}${path}`,
        note: strings.story.savedCall,
        duration_ms,
        href: toHref('proxies', null, { view: 'exchanges', exchange: id }),
      }),
    ),
    ...runs.map((run) =>
      createLine(`run ${run.id}`, {
        created_at: run.created_at,
        status: run.status,
        action: strings.story.run(run.kind),
        duration_ms: run.duration_ms,
        href:
          run.reactor_id === null
            ? toHref('proxies', run.proxy_id)
            : toHref('reactors', run.reactor_id, { run: run.id }),
      }),
    ),
    ...deliveries.map((delivery) =>
      createLine(`delivery ${delivery.id}`, {
        created_at: delivery.created_at,
        action: delivery.type,
        note: strings.story.delivery[delivery.state],
        href: toHref('webhooks', delivery.webhook_id, { view: 'deliveries', delivery: delivery.id }),
      }),
    ),
  ]
}

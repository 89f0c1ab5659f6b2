import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { createColumns, createNameColumn } from '../../parts/resource-screen/columns.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { Time } from '../../ui/time/time.tsx'
import { HealthChip } from './health-chip.tsx'
import { strings as t } from './strings.ts'

type Healths = ReadonlyMap<string, WebhookHealth>

/** `health` is null if the viewer may not see it. */
export function createWebhookColumns(health: Healths | null): readonly Column<Webhook>[] {
  return createColumns(t.columns, {
    name: createNameColumn('bell', 'clamp(100px, 16%, 280px)'),
    status: {
      width: '84px',
      render: (webhook) => (
        <HealthChip webhook={webhook} health={health === null ? null : health.get(webhook.id)} />
      ),
    },
    url: { width: 'minmax(150px, 1.4fr)', render: ({ url }) => <span className="mono">{url}</span> },
    events: {
      width: 'minmax(84px, 1fr)',
      render: ({ events }) => <span className="dim">{t.someEvents(events[0] ?? '', events.length)}</span>,
    },
    success: health !== null && {
      width: '92px',
      from: 620,
      render({ id }) {
        const at = health.get(id)?.last_success_at
        return at !== undefined && <span className="faint">{at === null ? t.never : <Time at={at} />}</span>
      },
    },
    failures: health !== null && {
      width: '136px',
      from: 780,
      right: true,
      render: ({ id }) => <Count of={health.get(id)?.failures} />,
    },
    waiting: health !== null && {
      width: '64px',
      from: 860,
      right: true,
      render: ({ id }) => <Count of={health.get(id)?.waiting} />,
    },
  })
}

function Count({ of: n }: { of: number | undefined }) {
  return n === undefined ? null : (
    <span className={n === 0 ? 'faint' : undefined}>{n.toLocaleString('en')}</span>
  )
}

import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { createNameColumn } from '../../parts/resource-screen/name-column.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { Time } from '../../ui/time/time.tsx'
import { HealthChip } from './health-chip.tsx'
import { strings as t } from './strings.ts'

type Healths = ReadonlyMap<string, WebhookHealth>

/** `health` is null if the viewer may not see it. */
export function createWebhookColumns(health: Healths | null): readonly Column<Webhook>[] {
  return [
    createNameColumn('bell', t.columns.name, 'clamp(100px, 16%, 280px)'),
    {
      id: 'status',
      label: t.columns.status,
      width: '84px',
      render: (webhook) => (
        <HealthChip webhook={webhook} health={health === null ? null : health.get(webhook.id)} />
      ),
    },
    {
      id: 'url',
      label: t.columns.url,
      width: 'minmax(150px, 1.4fr)',
      render: ({ url }) => <span className="mono">{url}</span>,
    },
    {
      id: 'events',
      label: t.columns.events,
      width: 'minmax(84px, 1fr)',
      render: ({ events }) => <span className="dim">{t.someEvents(events[0] ?? '', events.length)}</span>,
    },
    ...(health ? createHealthColumns(health) : []),
  ]
}

function createHealthColumns(healths: Healths): readonly Column<Webhook>[] {
  return [
    {
      id: 'success',
      label: t.columns.success,
      width: '92px',
      from: 620,
      render({ id }) {
        const health = healths.get(id)
        if (!health) return null
        const { last_success_at: at } = health
        return <span className="faint">{at === null ? t.never : <Time at={at} />}</span>
      },
    },
    {
      id: 'failures',
      label: t.columns.failures,
      width: '136px',
      from: 780,
      right: true,
      render: ({ id }) => <Count of={healths.get(id)?.failures} />,
    },
    {
      id: 'waiting',
      label: t.columns.waiting,
      width: '64px',
      from: 860,
      right: true,
      render: ({ id }) => <Count of={healths.get(id)?.waiting} />,
    },
  ]
}

function Count({ of: n }: { of: number | undefined }) {
  return n === undefined ? null : (
    <span className={n === 0 ? 'faint' : undefined}>{n.toLocaleString('en')}</span>
  )
}

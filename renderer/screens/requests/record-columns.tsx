import type { Column } from '../../ui/grid/grid-row.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { took } from '../../ui/time/milliseconds.ts'
import { exactTime } from '../../ui/time/relative-time.ts'
import type { LogRecord } from './record.ts'
import { strings } from './strings.ts'

const t = strings.columns

function clock(at: string): string {
  const time = new Date(at)
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

/** The columns of the log. */
export function recordColumns(
  actor: (id: string | undefined, type: string) => string,
): readonly Column<LogRecord>[] {
  return [
    {
      id: 'time',
      label: t.time,
      width: '68px',
      render: ({ created_at }) => (
        <time className="faint" dateTime={created_at} title={exactTime(Date.parse(created_at))}>
          {clock(created_at)}
        </time>
      ),
    },
    { id: 'status', label: t.status, width: '48px', render: ({ status }) => <StatusChip status={status} /> },
    {
      id: 'operation',
      label: t.operation,
      width: 'minmax(100px, 1fr)',
      render: ({ operation }) => <span className="mono">{operation}</span>,
    },
    {
      id: 'actor',
      label: t.actor,
      width: 'minmax(70px, 0.9fr)',
      render: ({ actor_id, actor_type = 'unknown' }) => actor(actor_id, actor_type),
    },
    {
      id: 'about',
      label: t.about,
      width: 'minmax(60px, 1fr)',
      render: ({ entity_id }) => <span className="mono faint">{entity_id}</span>,
    },
    {
      id: 'note',
      label: t.note,
      width: 'minmax(80px, 1.8fr)',
      render: ({ note }) => <span className="dim">{note}</span>,
    },
    {
      id: 'took',
      label: t.took,
      width: '64px',
      right: true,
      render: ({ duration_ms }) => <span className="faint">{took(duration_ms)}</span>,
    },
  ]
}

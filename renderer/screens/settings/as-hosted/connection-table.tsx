import type { HostedConnection } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import { navigate } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Chip, type Tone } from '../../../ui/chip.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { type DataColumn, DataTable } from '../../../ui/row-table.tsx'
import { FaintTime } from '../../../ui/time/faint-time.tsx'
import styles from './as-hosted.module.css'
import { findAllowable } from './hosted-facts.ts'
import { strings as t } from './strings.ts'

const tones: Readonly<Record<HostedConnection['outcome'], Tone>> = {
  answered: 'green',
  mapped: 'plain',
  connected: 'plain',
  refused: 'red',
  plain: 'red',
  without_password: 'red',
  failed: 'red',
  untrusted: 'amber',
  unknown_name: 'red',
}

type Props = {
  readonly connections: readonly HostedConnection[]
  readonly destinations: HostSettings['destinations']
}

/** Which programs came, by which route, and what was refused (rule H-06). */
export function ConnectionTable({ connections, destinations }: Props) {
  return (
    <section aria-label={t.connections} className={styles.connections}>
      <h4>{t.connections}</h4>
      <p className="help">{t.connectionsHelp}</p>
      <div className={styles.scroll}>
        <DataTable
          none={t.none}
          rows={connections}
          keyOf={({ route, host, outcome, program }) => [route, host, outcome, program].join(' ')}
          columns={[
            ...columns,
            {
              label: t.action,
              is: 'action',
              render: (connection) => <Allow host={findAllowable(connection, destinations)} />,
            },
          ]}
        />
      </div>
    </section>
  )
}

const columns: readonly DataColumn<HostedConnection>[] = [
  {
    label: t.headings.program,
    render: ({ program }) =>
      program === null ? <span className="faint">{t.unnamed}</span> : <span className="mono">{program}</span>,
  },
  { label: t.headings.called, render: ({ host }) => host, className: 'mono' },
  {
    label: t.headings.route,
    render: ({ route }) => <span title={t.routeHelp[route]}>{t.routes[route]}</span>,
  },
  {
    label: t.headings.outcome,
    className: styles.outcome,
    render: (connection) => <Outcome of={connection} />,
  },
  { label: t.headings.times, render: ({ count }) => count.toLocaleString('en') },
  { label: t.headings.last, render: ({ last_at }) => <FaintTime at={last_at} clock="machine" /> },
]

function Outcome({ of: { outcome } }: { of: HostedConnection }) {
  const [word, why] = t.outcomes[outcome]
  return (
    <>
      <Chip tone={tones[outcome]}>{word}</Chip> {why && <span className="dim">{why}</span>}
    </>
  )
}

function Allow({ host }: { host: string | null }) {
  if (host === null) return null
  return (
    <ActionButton
      size="compact-xs"
      label={t.allow}
      aria-label={t.allowHost(host)}
      onClick={() => navigate(toHref('settings', 'destinations', { allow: host }))}
    />
  )
}

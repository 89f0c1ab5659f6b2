import type { HostedConnection } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import { navigate } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Chip, type Tone } from '../../../ui/chip.tsx'
import formStyles from '../../../ui/form.module.css'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { RowTable } from '../../../ui/row-table.tsx'
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
      <p className={formStyles.help}>{t.connectionsHelp}</p>
      <div className={styles.scroll}>
        <RowTable labels={t.headings} action={t.action} none={connections.length === 0 && t.none}>
          {connections.map((connection) => (
            <Row
              key={[connection.route, connection.host, connection.outcome, connection.program].join(' ')}
              connection={connection}
              allowable={findAllowable(connection, destinations)}
            />
          ))}
        </RowTable>
      </div>
    </section>
  )
}

function Row({ connection, allowable }: { connection: HostedConnection; allowable: string | null }) {
  const { program, host, route, outcome, count, last_at } = connection
  const [word, why] = t.outcomes[outcome]
  return (
    <tr>
      <td className={program === null ? 'faint' : 'mono'}>{program ?? t.unnamed}</td>
      <td className="mono">{host}</td>
      <td title={t.routeHelp[route]}>{t.routes[route]}</td>
      <td className={styles.outcome}>
        <Chip tone={tones[outcome]}>{word}</Chip> {why && <span className="dim">{why}</span>}
      </td>
      <td>{count.toLocaleString('en')}</td>
      <td>
        <FaintTime at={last_at} clock="machine" />
      </td>
      <td>
        {allowable !== null && (
          <ActionButton
            size="compact-xs"
            label={t.allow}
            aria-label={t.allowHost(allowable)}
            onClick={() => navigate(toHref('settings', 'destinations', { allow: allowable }))}
          />
        )}
      </td>
    </tr>
  )
}

import type { HostedConnection } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import { navigate } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import { Chip, type Tone } from '../../../ui/chip.tsx'
import formStyles from '../../../ui/form.module.css'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import { FaintTime } from '../../../ui/time/faint-time.tsx'
import settingsStyles from '../settings.module.css'
import styles from './as-hosted.module.css'
import { findAllowable } from './hosted-facts.ts'
import { strings } from './strings.ts'

const t = strings

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
      {connections.length === 0 ? (
        <span className="faint">{t.none}</span>
      ) : (
        <div className={styles.scroll}>
          <table className={settingsStyles.table}>
            <TableHead labels={t.headings} action={t.action} />
            <tbody>
              {connections.map((connection) => (
                <Row
                  key={[connection.route, connection.host, connection.outcome, connection.program].join(' ')}
                  connection={connection}
                  allowable={findAllowable(connection, destinations)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
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

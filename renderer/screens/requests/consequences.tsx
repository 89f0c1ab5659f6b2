import type { FullLog } from '../../../shared/schemas/log.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { PanelSection } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { isUnmaskedId } from './record.ts'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.consequences
const MAX_VISIBLE = 10

async function readConsequences({ trace_id }: FullLog) {
  // Nothing can be looked up by a masked trace id.
  if (!isUnmaskedId(trace_id)) return null
  const [runs, deliveries] = await Promise.all([
    vault.reactorRuns.list({ trace_id }),
    vault.deliveries.listOfRequest({ trace_id }),
  ])
  return { runs: runs.data, deliveries: deliveries.data }
}

/** The reactor runs and webhook deliveries that a request caused, with links. */
export function Consequences({ record }: { record: FullLog }) {
  const { value } = useLoaded(() => readConsequences(record), { about: record.id })
  if (!value) return null
  const { runs, deliveries } = value
  if (runs.length === 0 && deliveries.length === 0) return null
  return (
    <PanelSection title={t.title}>
      <ul className={styles.consequences}>
        {runs.slice(0, MAX_VISIBLE).map(({ id, reactor_id, proxy_id, status, kind }) => (
          <li key={id}>
            <StatusChip status={status} />
            <LinkButton
              to={
                reactor_id === null
                  ? toHref('proxies', proxy_id)
                  : toHref('reactors', reactor_id, { run: id })
              }
              label={t.run(kind)}
            />
          </li>
        ))}
        {deliveries.slice(0, MAX_VISIBLE).map(({ id, webhook_id, type, state }) => (
          <li key={id}>
            <LinkButton
              to={toHref('webhooks', webhook_id, { view: 'deliveries', delivery: id })}
              label={t.delivery(type)}
            />{' '}
            <span className="faint">{t.states[state]}</span>
          </li>
        ))}
      </ul>
      {runs.length + deliveries.length > 2 * MAX_VISIBLE && <p className="faint">{t.more}</p>}
    </PanelSection>
  )
}

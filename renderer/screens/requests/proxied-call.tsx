import type { FullLog } from '../../../shared/schemas/log.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import formStyles from '../../ui/form.module.css'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import styles from './requests.module.css'
import { strings } from './strings.ts'

const t = strings.proxied
/** Enough for one call, which has one record for the tokens it used, one per transform, and one for the response. */
const MAX_RECORDS = 20

async function readProxiedCall({ trace_id }: FullLog) {
  const [records, exchanges] = await Promise.all([
    vault.logs.list({ trace_id, size: MAX_RECORDS }),
    vault.exchanges.list({ trace_id }),
  ])
  const parts = await Promise.all(
    records.data
      .filter(({ action }) => action.startsWith('proxies.'))
      .map(({ id }) => vault.logs.get({ id })),
  )
  return { parts, exchange: exchanges.data[0] ?? null }
}

/** Further details of a proxied call: its destination, its tokens, and the saved call. */
export function ProxiedCall({ record }: { record: FullLog }) {
  const { value } = useLoaded(() => readProxiedCall(record), { about: record.id })
  if (!record.path?.match(/^\/proxy(?:\/|$)/) || !value) return null
  const { parts, exchange } = value
  const answer = parts.find(({ note }) => note?.startsWith('answered by '))
  const host = exchange?.host ?? answer?.note?.slice('answered by '.length)
  const proxy_id = exchange?.proxy_id ?? answer?.entity_id
  const tokens = parts
    .filter((each) => each !== answer && each.action === 'proxies.invoke' && each.status < 400)
    .flatMap(({ entity_ids }) => entity_ids)
    .filter((id) => id !== proxy_id)
  return (
    <PanelSection title={t.title}>
      <PropertyList>
        <PropertyRow name={t.open}>
          {proxy_id ? (
            <LinkButton to={toHref('proxies', proxy_id)} mono label={proxy_id} />
          ) : (
            <span className="faint">{t.ephemeral}</span>
          )}
        </PropertyRow>
        {host !== undefined && (
          <PropertyRow name={t.destination}>
            <span className="mono">{host}</span>
          </PropertyRow>
        )}
        {answer && (
          <PropertyRow name={t.status}>
            <StatusChip status={answer.status} />
          </PropertyRow>
        )}
        <PropertyRow name={t.tokens}>
          {tokens.length === 0 && <span className="faint">{t.noTokens}</span>}
          {[...new Set(tokens)].map((id) => (
            <span key={id} className={styles.recordEntity}>
              <LinkButton to={toHref('tokens', id)} mono label={id} />
            </span>
          ))}
        </PropertyRow>
      </PropertyList>
      {exchange ? (
        <LinkButton
          to={toHref('proxies', null, { view: 'exchanges', exchange: exchange.id })}
          label={t.exchange}
        />
      ) : (
        <p className={formStyles.note}>{t.notKept}</p>
      )}
    </PanelSection>
  )
}

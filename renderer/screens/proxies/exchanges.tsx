import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { type FieldContent, matchesFilter } from '../../../shared/conditions.ts'
import type { ExchangeSummary } from '../../../shared/schemas/exchange.ts'
import { useProxies } from '../../parts/access/resource-lists.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { type FilterFieldOf, toChoices } from '../../parts/filters/filter-fields.ts'
import { NoMatch } from '../../parts/filters/no-match.tsx'
import { useRouteFilter } from '../../parts/filters/use-route-filter.ts'
import { Confirm } from '../../parts/forms/confirm.tsx'
import { hasCode } from '../../parts/messages/describe-error.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { goTo, navigate } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { createColumns } from '../../parts/resource-screen/columns.tsx'
import { ListStates } from '../../parts/resource-screen/list-states.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import type { GridHandle } from '../../ui/grid/use-grid-view.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { StatusChip } from '../../ui/status-chip.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { ExchangeView } from './exchange-view.tsx'
import { exchangeList, loadExchanges, useExchanges } from './exchanges-store.ts'
import { KeepExchangesNotice } from './keep-exchanges-notice.tsx'
import styles from './proxies.module.css'
import { strings } from './strings.ts'

const t = strings.exchanges
const PLACEHOLDER_ROWS = 6

/** Lists the saved calls, or shows the one with this id. */
export function Exchanges({ id }: { id: string | undefined }) {
  const { rows: all, loaded, problem } = useExchanges()
  const { rows: proxies } = useProxies()
  const fields = listFields(proxies)
  const { filter, q, bar, problem: wrong } = useRouteFilter(fields, ['status', 'took'])
  const exchanges = all.filter(
    (each) => wrong === null && matchesFilter(filter, (field) => [readField(each, field)], listTexts(each)),
  )
  const [active, setActive] = useState<string | null>(null)
  const [asking, setAsking] = useState(false)
  const grid = useRef<GridHandle>(null)
  const openExchange = (index: number) => {
    const row = exchanges[index]
    if (row) navigate(toHref('proxies', null, { view: 'exchanges', exchange: row.id }))
  }
  if (id !== undefined) return <OneExchange key={id} id={id} />
  const getProxyName = (proxy_id: string | null) =>
    proxy_id === null ? t.ephemeral : (proxies.find((each) => each.id === proxy_id)?.name ?? t.gone)
  return (
    <>
      <div className={screenStyles.noticeLine}>
        <KeepExchangesNotice />
      </div>
      {all.length > 0 && (
        <FilterBar
          label={t.search}
          {...bar}
          savedQuery={{ view: 'exchanges', q }}
          onLeave={() => grid.current?.focus()}
        />
      )}
      <div className={panelStyles.split}>
        <ListStates
          problem={problem}
          loaded={loaded}
          onRetry={exchangeList.read}
          isEmpty={exchanges.length === 0}
          empty={
            wrong !== null ? (
              <div className={screenStyles.listFailure}>
                <Failure>{wrong}</Failure>
              </div>
            ) : all.length > 0 ? (
              <NoMatch what={t.many} />
            ) : (
              <Empty
                icon="activity"
                title={t.empty}
                text={t.emptyText}
                action={<Button onClick={goTo('proxies', null, { view: 'try' })}>{t.tryIt}</Button>}
              />
            )
          }
        >
          <Grid
            handle={grid}
            label={t.grid}
            columns={createExchangeColumns(getProxyName)}
            count={loaded ? exchanges.length : PLACEHOLDER_ROWS}
            row={(index) => exchanges[index]}
            keyOf={(row) => row.id}
            active={exchanges.findIndex((each) => each.id === active)}
            onActive={(index) => setActive(exchanges[index]?.id ?? null)}
            onOpen={openExchange}
          />
        </ListStates>
      </div>
      <div className={screenStyles.foot}>
        <span role="status">{loaded && t.count(exchanges.length)}</span>
        <span>{t.newestFirst}</span>
        {all.length > 0 && (
          <ActionButton icon="trash" label={t.deleteAll} size="compact-xs" onClick={() => setAsking(true)} />
        )}
      </div>
      {asking && <ForgetDialog onClose={() => setAsking(false)} />}
    </>
  )
}

type ExchangeField = keyof typeof t.fields

function listFields(proxies: readonly NamedProxy[]): readonly FilterFieldOf<ExchangeField>[] {
  const { status, method, host, path, proxy, took, trace } = t.fields
  return [
    { field: 'status', label: status, icon: 'check', values: toChoices('2xx', '4xx', '5xx') },
    {
      field: 'method',
      label: method,
      icon: 'play',
      values: toChoices('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    },
    { field: 'host', label: host, icon: 'server' },
    { field: 'path', label: path, icon: 'globe' },
    {
      field: 'proxy',
      label: proxy,
      icon: 'proxy',
      values: proxies.map(({ id, name }) => ({ value: id, name })),
    },
    { field: 'took', label: took, icon: 'clock', values: toChoices('>100ms', '>1s') },
    { field: 'trace', label: trace, icon: 'activity' },
  ]
}

function readField(exchange: ExchangeSummary, field: ExchangeField): FieldContent {
  const { status, method, host, path, proxy_id, duration_ms, trace_id } = exchange
  const values = { status, method, host, path, proxy: proxy_id, took: duration_ms, trace: trace_id }
  return values[field] ?? undefined
}

function listTexts({ host, path, trace_id }: ExchangeSummary): readonly string[] {
  return [`${host}${path}`, trace_id]
}

type NamedProxy = { readonly id: string; readonly name: string }

const listHref = toHref('proxies', null, { view: 'exchanges' })

function OneExchange({ id }: { id: string }) {
  const exchange = useLoaded(() => vault.exchanges.get({ id }), { about: id })
  useKeys({ escape: () => navigate(listHref) })
  return (
    <div className={styles.body}>
      <p>
        <LinkButton to={listHref} label={`← ${t.back}`} />
      </p>
      {hasCode(exchange.problem, 'not_found') ? (
        <Failure>{t.removed}</Failure>
      ) : (
        <LoadedView of={exchange} lines={8}>
          {(value) => <ExchangeView exchange={value} />}
        </LoadedView>
      )}
    </div>
  )
}

function ForgetDialog({ onClose }: { onClose: () => void }) {
  async function forgetExchanges() {
    const { forgotten } = await vault.exchanges.forget({})
    await loadExchanges()
    showToast(t.forgotten(forgotten))
  }
  return (
    <Confirm title={t.deleteAllTitle} action={t.deleteAll} onConfirm={forgetExchanges} onClose={onClose}>
      {t.deleteAllText}
    </Confirm>
  )
}

function createExchangeColumns(
  getProxyName: (id: string | null) => string,
): readonly Column<ExchangeSummary>[] {
  return createColumns(t.columns, {
    time: { width: '92px', render: ({ created_at }) => <FaintTime at={created_at} /> },
    status: {
      width: '76px',
      render: ({ status }) =>
        status === null ? <span className="faint">{t.noStatus}</span> : <StatusChip status={status} />,
    },
    method: { width: '64px', render: ({ method }) => <span className="mono">{method}</span> },
    where: {
      width: 'minmax(160px, 1.6fr)',
      render: ({ host, path }) => <MarkedSpan text={`${host}${path}`} />,
    },
    proxy: {
      width: 'minmax(90px, 0.8fr)',
      render: ({ proxy_id }) => (
        <MarkedSpan className={proxy_id === null ? 'faint' : undefined} text={getProxyName(proxy_id)} />
      ),
    },
    took: {
      width: '72px',
      right: true,
      render: ({ duration_ms }) => <span className="faint">{formatDuration(duration_ms)}</span>,
    },
  })
}

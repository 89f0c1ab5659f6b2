import { useRef, useState } from 'react'
import type { Filter } from '../../../shared/conditions.ts'
import type {
  DeliveryField,
  DeliverySummary,
  Webhook,
  WebhookHealth,
} from '../../../shared/schemas/webhook.ts'
import { eventTypes } from '../../../shared/webhook-events.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import type { FilterFieldOf } from '../../parts/filters/filter-fields.ts'
import { NoMatch } from '../../parts/filters/no-match.tsx'
import { useRouteFilter } from '../../parts/filters/use-route-filter.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { createColumns, createTimeColumn } from '../../parts/resource-screen/columns.tsx'
import { ListStates } from '../../parts/resource-screen/list-states.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import type { GridHandle } from '../../ui/grid/use-grid-view.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { getDeliveriesHref } from './deliveries-href.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { DeliveryNext, DeliveryState } from './delivery-state.tsx'
import { HealthChip } from './health-chip.tsx'
import { SendTest } from './send-test.tsx'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.deliveries
const PAGE_SIZE = 100
const PLACEHOLDER_ROWS = 6

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

/** The deliveries of a webhook, newest first, one page at a time. */
export function Deliveries({ webhook, health }: Props) {
  const { id } = webhook
  const { query } = useRoute()
  const { start, delivery: open } = query
  const [active, setActive] = useState<string | null>(null)
  const grid = useRef<GridHandle>(null)
  const { filter, q, isActive, bar } = useRouteFilter(fields)
  const { value, problem, load } = useLoaded(() => readDeliveries(id, filter, start), {
    about: JSON.stringify([id, start, q]),
    follows: ['delivery'],
  })
  const rows = value?.data ?? []
  const next = value?.pagination.next
  const current = open ?? active
  function showDelivery(index: number, isOpened: boolean) {
    const row = rows[index]
    if (!row) return
    setActive(row.id)
    if (isOpened || open !== undefined)
      navigate(getDeliveriesHref(id, { start, q, delivery: row.id }), { replace: !isOpened })
  }
  function closeDelivery() {
    setActive(open ?? null)
    navigate(getDeliveriesHref(id, { start, q }))
    grid.current?.focus()
  }
  const webhookHref = toHref('webhooks', id)
  useKeys({ escape: open === undefined ? () => navigate(webhookHref) : closeDelivery })
  return (
    <>
      <div className={styles.line}>
        <LinkButton
          to={webhookHref}
          label={
            <>
              ← <MarkedText text={webhook.name} />
            </>
          }
        />
        <HealthChip webhook={webhook} health={health} />
        {health?.paused_until && health.status === 'enabled' && (
          <span className="faint">
            {strings.health.until} <Time at={health.paused_until} ahead />
          </span>
        )}
        <div className="space" />
        <SendTest webhook={webhook} />
      </div>
      <FilterBar label={t.search} {...bar} onLeave={() => grid.current?.focus()} />
      <div className={panelStyles.split}>
        <ListStates
          problem={problem}
          loaded={value !== null}
          onRetry={load}
          isEmpty={rows.length === 0}
          empty={
            isActive ? (
              <NoMatch what={t.many} />
            ) : (
              <Empty icon="bell" title={t.empty} text={start === undefined ? t.emptyText : t.emptyPage} />
            )
          }
        >
          <Grid
            handle={grid}
            label={t.grid}
            columns={columns}
            count={value === null ? PLACEHOLDER_ROWS : rows.length}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
            active={rows.findIndex((each) => each.id === current)}
            onActive={(index) => showDelivery(index, false)}
            onOpen={(index) => showDelivery(index, true)}
          />
        </ListStates>
        <PanelBoundary at={`${open}`} onClose={closeDelivery}>
          {open !== undefined && <DeliveryDrawer key={open} id={open} onClose={closeDelivery} />}
        </PanelBoundary>
      </div>
      <div className={screenStyles.foot}>
        <span role="status">
          {value !== null && t.count(rows.length, start !== undefined, next !== undefined)}
        </span>
        <span>{t.kept}</span>
        <div className="space" />
        {start !== undefined && (
          <ActionButton
            label={t.newest}
            size="compact-xs"
            onClick={() => navigate(getDeliveriesHref(id, { q }))}
          />
        )}
        {next !== undefined && (
          <ActionButton
            label={t.older}
            size="compact-xs"
            onClick={() => navigate(getDeliveriesHref(id, { start: next, q }))}
          />
        )}
      </div>
    </>
  )
}

const fields: readonly FilterFieldOf<DeliveryField>[] = [
  {
    field: 'state',
    label: t.fields.state,
    icon: 'check',
    values: Object.entries(t.states).map(([value, name]) => ({ value, name })),
  },
  { field: 'event', label: t.fields.event, icon: 'bell', values: eventTypes.map((value) => ({ value })) },
  { field: 'attempts', label: t.fields.attempts, icon: 'refresh', values: [{ value: '>1' }, { value: '0' }] },
  {
    field: 'by',
    label: t.fields.by,
    icon: 'person',
    values: [
      { value: 'owner', name: t.byOwner },
      { value: 'vault', name: t.byVault },
    ],
  },
]

/** Reads pages until one has deliveries or none is left, because a page of a filter may have none. */
async function readDeliveries(webhook_id: string, filter: Filter<DeliveryField>, start?: string) {
  const { conditions, words } = filter
  const readPage = (at: string | undefined) =>
    vault.deliveries.list({
      webhook_id,
      size: PAGE_SIZE,
      ...(at !== undefined && { start: at }),
      ...(conditions.length > 0 && { where: conditions }),
      ...(words !== '' && { q: words }),
    })
  let page = await readPage(start)
  while (page.data.length === 0 && page.pagination.next !== undefined)
    page = await readPage(page.pagination.next)
  return page
}

const columns: readonly Column<DeliverySummary>[] = createColumns(t.columns, {
  time: createTimeColumn(),
  type: {
    width: 'minmax(150px, 1fr)',
    render: ({ type, by_owner }) => (
      <>
        <span className="mono">{type}</span> {by_owner && <span className="faint">{t.byOwner}</span>}
      </>
    ),
  },
  state: { width: '96px', render: (delivery) => <DeliveryState delivery={delivery} /> },
  attempts: {
    width: '76px',
    from: 640,
    right: true,
    render: ({ attempts }) => <span className={attempts === 0 ? 'faint' : undefined}>{attempts}</span>,
  },
  next: {
    width: 'minmax(130px, 1fr)',
    render: (delivery) => (
      <span className="faint">
        <DeliveryNext delivery={delivery} />
      </span>
    ),
  },
})

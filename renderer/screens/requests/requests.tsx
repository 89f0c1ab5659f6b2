import { Button, SegmentedControl } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useActorName } from '../../parts/access/application-names.ts'
import { DeniedReason } from '../../parts/access/denied-reason.tsx'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { keepLoaded, useConnectionState } from '../../parts/connection/connection-state.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { onLog } from '../../parts/connection/session.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { getListHref } from '../../parts/navigation/last-queries.ts'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { Pinnable } from '../../parts/navigation/pinnable.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { copyText } from '../../ui/text/clipboard.ts'
import { ExportMenu } from './export-menu.tsx'
import { Programs } from './programs.tsx'
import { type LogListRecord, NO_AGENT, toRecordFilters, toRouteQuery } from './record.ts'
import { createRecordColumns } from './record-columns.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { RecordFilterBar } from './record-filter-bar.tsx'
import {
  applyNewRecords,
  countWaiting,
  loadMoreRecords,
  pauseRecords,
  showRecords,
  useRecords,
} from './records-store.ts'
import { RequestBuilder } from './request-builder.tsx'
import styles from './requests.module.css'
import { getResendHref } from './resend-href.ts'
import { strings } from './strings.ts'
import { Timeline } from './timeline.tsx'

const t = strings

export function Requests() {
  const { query } = useRoute()
  const building = query.new !== undefined
  const mayRead = useMay('log:read')
  const openBuilder = () => navigate(toHref('requests', null, { new: '1' }))
  useKeys({ 'mod+n': openBuilder, n: openBuilder })
  useKeys({ escape: () => navigate(getListHref('requests')) }, building)
  return (
    <>
      <div className={screenStyles.head}>
        <h1>{t.title}</h1>
        <SegmentedControl
          aria-label={t.title}
          data={[
            { value: 'log', label: t.log },
            { value: 'new', label: t.builder },
          ]}
          value={building ? 'new' : 'log'}
          onChange={(value) => (value === 'new' ? openBuilder() : navigate(getListHref('requests')))}
        />
        <div className={screenStyles.headSpace} />
        {!building && mayRead && <Live />}
      </div>
      {building ? (
        <RequestBuilder
          op={query.op}
          again={query.again}
          onPick={(op) => navigate(toHref('requests', null, { new: '1', op }), { replace: true })}
        />
      ) : mayRead ? (
        <Log />
      ) : (
        <ViewAsRefused permission="log:read" />
      )}
    </>
  )
}

const PREFETCH_ROWS = 60
const PLACEHOLDER_ROWS = 8

/** The number of records or, while the total is unknown, the number of loaded rows as a minimum. */
function formatCount(rows: number, { total, next, loading }: RecordPagingState): string {
  if (total !== null) return t.count(total)
  if (next !== null) return rows === 0 ? t.searching : t.countMore(rows)
  return loading ? t.reading : t.count(rows)
}
type RecordPagingState = {
  readonly total: number | null
  readonly next: string | null
  readonly loading: boolean
}

function handleView(_first: number, last: number): void {
  if (last >= useRecords.getState().rows.length - PREFETCH_ROWS) void loadMoreRecords()
}

function Log() {
  const { query } = useRoute()
  const isOwner = useViewAs(({ as }) => as === null)
  const byProgram = isOwner && query.by === 'program'
  const { rows, next, total, loading, problem } = useRecords()
  const filterKey = JSON.stringify(toRecordFilters(query))
  const filters = useMemo(() => toRecordFilters(JSON.parse(filterKey)), [filterKey])
  // A `log` change means that the vault returned to an earlier state. New records arrive through `onLog`
  // instead.
  useEffect(() => keepCurrent(() => showRecords(filters), ['log']), [filters])
  useEffect(() => onLog(applyNewRecords), [])

  const { operations } = useOperations()
  useEffect(() => keepLoaded(() => loadOperations().catch(handleBackgroundError)), [])
  const list = useRows('requests', rows, {
    isOwner,
    isFixed: true,
    isPermanent: true,
    listQuery: { ...toRouteQuery(filters), by: query.by },
    listOwnActions: (_, row) => (row ? createRowActions(row, isOwner ? operations : []) : []),
  })
  const { id, close } = list
  const applyFilter = (part: Partial<Record<keyof typeof filters, string | undefined>>, by?: 'program') =>
    navigate(toHref('requests', id, { ...toRouteQuery(filters), ...part, by }), { replace: true })

  const renderRecord = (of: string, onClose: () => void) => (
    <RecordDrawer key={of} id={of} row={rows.find((row) => row.id === of)} onClose={onClose} />
  )

  return (
    <>
      <RecordFilterBar
        filters={filters}
        byProgram={byProgram}
        onFilter={(part) => applyFilter(part, byProgram ? 'program' : undefined)}
        onProgram={(by) => applyFilter({}, by ? 'program' : undefined)}
        onClear={() => navigate(toHref('requests', id))}
        onLeave={list.search.onExit}
      />
      {isOwner && (
        <Timeline filters={filters} onSpan={(span) => applyFilter(span, byProgram ? 'program' : undefined)} />
      )}
      <div className={panelStyles.split}>
        {byProgram ? (
          <Programs
            filters={filters}
            onPick={(program) => applyFilter({ actor: program.actor, agent: program.agent || NO_AGENT })}
          />
        ) : (
          <RecordList list={list} isFiltered={filterKey !== '{"outcome":"all"}'} />
        )}
        <PanelBoundary {...list.beside}>
          <Pinnable screen="requests" id={id} form={false} renderPinned={renderRecord}>
            {id !== null && renderRecord(id, close)}
          </Pinnable>
        </PanelBoundary>
      </div>
      <div className={screenStyles.foot}>
        <span role="status">{problem === null && formatCount(rows.length, { total, next, loading })}</span>
        <span className={styles.footEnd}>
          {isOwner && <ExportMenu filters={filters} />}
          {t.order}
        </span>
      </div>
    </>
  )
}

type RecordListProps = {
  readonly list: ReturnType<typeof useRows<LogListRecord>>
  readonly isFiltered: boolean
}

function RecordList({ list, isFiltered }: RecordListProps) {
  const { rows, loading, problem, fresh } = useRecords()
  const isOwner = useViewAs(({ as }) => as === null)
  const actor = useActorName()
  const columns = useMemo(() => createRecordColumns({ actor, isOwner }), [actor, isOwner])
  if (problem !== null) {
    return (
      <div className={screenStyles.listFailure}>
        <Failure>{describeError(problem)}</Failure>
        <DeniedReason problem={problem} on={null} />
      </div>
    )
  }
  if (rows.length === 0 && !loading) {
    return (
      <Empty
        icon="activity"
        title={isFiltered ? t.empty.noneMatch : t.empty.title}
        text={isFiltered ? t.empty.noneMatchText : t.empty.text}
      />
    )
  }
  return (
    <Grid
      {...list.gridProps}
      label={t.grid}
      columns={columns}
      count={rows.length + (loading ? PLACEHOLDER_ROWS : 0)}
      row={(index) => rows[index]}
      keyOf={(row) => row.id}
      onView={handleView}
      classOf={(row) =>
        [fresh.has(row.id) ? styles.rowFresh : '', row.status >= 400 ? styles.rowRefused : ''].join(' ')
      }
    />
  )
}

function createRowActions(
  record: LogListRecord,
  operations: readonly { readonly id: string }[],
): readonly GridAction[] {
  const resendHref = getResendHref(record, operations)
  const trace: GridAction = {
    label: t.copyTrace,
    icon: 'copy',
    async run() {
      await copyText(record.trace_id)
      showToast(t.copiedTrace)
    },
  }
  return resendHref === null
    ? [trace]
    : [{ label: t.drawer.again, icon: 'play', run: () => navigate(resendHref) }, trace]
}

/** Whether new records appear as they arrive; a click pauses or resumes. */
function Live() {
  const { paused, rows, waiting } = useRecords()
  const newCount = countWaiting({ rows, waiting })
  const isUnreachable = useConnectionState((reach) => reach.disconnection !== null)
  return (
    <Button
      variant={paused ? 'light' : 'default'}
      leftSection={paused ? <Icon name="play" size={12} /> : <span className={styles.liveMark} />}
      aria-pressed={paused}
      onClick={() => pauseRecords(!paused)}
    >
      {paused ? (newCount === 0 ? t.paused : t.newWhilePaused(newCount)) : isUnreachable ? t.notLive : t.live}
    </Button>
  )
}

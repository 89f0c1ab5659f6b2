import './requests.css'
import { SegmentedControl } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { useActorName } from '../../parts/access/application-names.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { WhyNot } from '../../parts/access/why-not.tsx'
import { loadOperations, useOperations } from '../../parts/api/operations.ts'
import { keepCurrent } from '../../parts/connection/follow.ts'
import { passOver } from '../../parts/connection/incidents.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { onLog } from '../../parts/connection/session.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { listHref } from '../../parts/navigation/left-lists.ts'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { copyText } from '../../ui/text/clipboard.ts'
import { againHref } from './again-href.ts'
import { ExportMenu } from './export-menu.tsx'
import { Live } from './live.tsx'
import { Programs } from './programs.tsx'
import { type LogRecord, NO_AGENT, placeOf, recordFiltersOf } from './record.ts'
import { recordColumns } from './record-columns.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { RecordFilterBar } from './record-filter-bar.tsx'
import { moreRecords, showRecords, takeNews, useRecords } from './records-store.ts'
import { RequestBuilder } from './request-builder.tsx'
import { strings } from './strings.ts'
import { Timeline } from './timeline.tsx'

const t = strings

/** The log, and the request builder. */
export function Requests() {
  const { query } = useRoute()
  const building = query.new !== undefined
  const mayRead = useMay('log:read')
  const create = () => go(hrefOf('requests', null, { new: '1' }))
  useKeys({ 'mod+n': create, n: create })
  useKeys({ escape: () => go(listHref('requests')) }, building)
  return (
    <>
      <div className="screen-head">
        <h1>{t.title}</h1>
        <SegmentedControl
          className="tabs"
          aria-label={t.title}
          data={[
            { value: 'log', label: t.log },
            { value: 'new', label: t.builder },
          ]}
          value={building ? 'new' : 'log'}
          onChange={(value) => (value === 'new' ? create() : go(listHref('requests')))}
        />
        <div className="screen-head-space" />
        {!building && mayRead && <Live />}
      </div>
      {building ? (
        <RequestBuilder
          op={query.op}
          again={query.again}
          onPick={(op) => go(hrefOf('requests', null, { new: '1', op }), { replace: true })}
        />
      ) : mayRead ? (
        <Log />
      ) : (
        <LookingRefused permission="log:read" />
      )}
    </>
  )
}

const AHEAD = 60
/** The number of placeholder rows while loading. */
const WAITING = 8

/** The number of records, as far as it is known. */
function countText(rows: number, { total, next, loading }: Known): string {
  if (total !== null) return t.count(total)
  if (next !== null) return rows === 0 ? t.searching : t.countMore(rows)
  return loading ? t.reading : t.count(rows)
}
type Known = { readonly total: number | null; readonly next: string | null; readonly loading: boolean }

function view(_first: number, last: number): void {
  if (last >= useRecords.getState().rows.length - AHEAD) moreRecords()
}

function Log() {
  const { query } = useRoute()
  const isOwner = useLooking(({ as }) => as === null)
  const byProgram = isOwner && query.by === 'program'
  const { rows, next, total, loading, problem, fresh } = useRecords()
  const actor = useActorName()
  const filterKey = JSON.stringify(recordFiltersOf(query))
  const filters = useMemo(() => recordFiltersOf(JSON.parse(filterKey)), [filterKey])
  // A change of the log means that the vault returned to an earlier state; new records arrive by `onLog`.
  useEffect(() => keepCurrent(() => showRecords(filters), ['log']), [filters])
  useEffect(() => onLog(takeNews), [])

  const { operations } = useOperations()
  useEffect(() => keepLoaded(() => loadOperations().catch(passOver)), [])
  const list = useRows('requests', rows, {
    isOwner,
    isFixed: true,
    isKept: true,
    place: { ...placeOf(filters), by: query.by },
    ownActions: (_, row) => (row ? ownActions(row, isOwner ? operations : []) : []),
  })
  const { id, close } = list
  const filter = (part: Partial<Record<keyof typeof filters, string | undefined>>, by?: 'program') =>
    go(hrefOf('requests', id, { ...placeOf(filters), ...part, by }), { replace: true })
  const columns = useMemo(() => recordColumns({ actor, isOwner }), [actor, isOwner])

  return (
    <>
      <RecordFilterBar
        filters={filters}
        byProgram={byProgram}
        onFilter={(part) => filter(part, byProgram ? 'program' : undefined)}
        onProgram={(by) => filter({}, by ? 'program' : undefined)}
        onClear={() => go(hrefOf('requests', id))}
        onLeave={list.search.onLeave}
      />
      {isOwner && (
        <Timeline filters={filters} onSpan={(span) => filter(span, byProgram ? 'program' : undefined)} />
      )}
      <div className="split">
        {byProgram ? (
          <Programs
            filters={filters}
            onPick={(program) => filter({ actor: program.actor, agent: program.agent || NO_AGENT })}
          />
        ) : problem !== null ? (
          <div className="list-failure">
            <Failure>{sentenceOf(problem)}</Failure>
            <WhyNot problem={problem} on={null} />
          </div>
        ) : rows.length === 0 && !loading ? (
          <Empty
            icon="activity"
            title={filterKey === '{"outcome":"all"}' ? t.empty.title : t.empty.noneMatch}
            text={filterKey === '{"outcome":"all"}' ? t.empty.text : t.empty.noneMatchText}
          />
        ) : (
          <Grid
            {...list.shown}
            label={t.grid}
            columns={columns}
            count={rows.length + (loading ? WAITING : 0)}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
            onView={view}
            classOf={(row) =>
              [fresh.has(row.id) ? 'row-fresh' : '', row.status >= 400 ? 'row-refused' : ''].join(' ')
            }
          />
        )}
        <PanelBoundary {...list.beside}>
          {id !== null && <RecordDrawer id={id} row={rows.find((row) => row.id === id)} onClose={close} />}
        </PanelBoundary>
      </div>
      <div className="screen-foot">
        <span role="status">{problem === null && countText(rows.length, { total, next, loading })}</span>
        <span className="foot-end">
          {isOwner && <ExportMenu filters={filters} />}
          {t.order}
        </span>
      </div>
    </>
  )
}

/** What can be done with a record besides what every row has. */
function ownActions(
  record: LogRecord,
  operations: readonly { readonly id: string }[],
): readonly GridAction[] {
  const again = againHref(record, operations)
  const trace: GridAction = {
    label: t.copyTrace,
    icon: 'copy',
    async run() {
      await copyText(record.trace_id)
      toast(t.copiedTrace)
    },
  }
  return again === null ? [trace] : [{ label: t.drawer.again, icon: 'play', run: () => go(again) }, trace]
}

import { Group } from '@mantine/core'
import { type ComponentProps, useEffect, useMemo, useRef } from 'react'
import type { Condition } from '../../../shared/conditions.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { DeniedReason } from '../../parts/access/denied-reason.tsx'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { useLoadedOperations } from '../../parts/api/operations.ts'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { onLog } from '../../parts/connection/session.ts'
import { type FilterFieldOf, readTyped } from '../../parts/filters/filter-fields.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { Pinnable } from '../../parts/navigation/pinnable.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useLayout } from '../../ui/grid/layouts.ts'
import { isSelected } from '../../ui/grid/selection.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { listCellActions } from './cell-actions.ts'
import { ExportMenu } from './export-menu.tsx'
import type { LedgerLine } from './ledger-lines.ts'
import { Programs } from './programs.tsx'
import {
  limitFilter,
  type RecordField,
  type RecordFilter,
  toRecordFilter,
  toRouteQuery,
  withoutOwner,
  withProgram,
  withSpan,
} from './record.ts'
import { createRecordColumns } from './record-columns.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { useRecordFields } from './record-fields.ts'
import { RecordFilterBar } from './record-filter-bar.tsx'
import { applyNewRecords, loadMoreRecords, showRecords, useRecords } from './records-store.ts'
import styles from './requests.module.css'
import { createRowActions, formatCellValue } from './row-actions.ts'
import { strings as t } from './strings.ts'
import { Timeline } from './timeline.tsx'
import { useChosenRecords } from './use-chosen-records.tsx'
import { useLedgerLines } from './use-ledger-lines.ts'

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

/** The name of the list, under which its layout is stored. */
const LIST = t.grid
const OWN = `${LIST}, own`

/** The filter in the route, and the one that applies, which may leave out the owner. */
function useLogFilter(fields: readonly FilterFieldOf<RecordField>[]) {
  const { query } = useRoute()
  const isOwner = useIsOwner()
  const [{ hides_own: hidesOwn = false }, onLayout] = useLayout(OWN)
  const { q = '' } = query
  // A link may name an application. The fields change with every record, but the filter must not.
  const text = isOwner ? q : toRouteQuery(limitFilter(toRecordFilter({ q }))).q
  const filterKey = JSON.stringify(readTyped(text, fields))
  const filter = useMemo<RecordFilter>(() => JSON.parse(filterKey), [filterKey])
  const applied = useMemo(
    () => (isOwner && hidesOwn ? withoutOwner(filter) : filter),
    [filter, isOwner, hidesOwn],
  )
  const onHideOwn = (hides: boolean) => onLayout(hides ? { hides_own: true } : null)
  return { filter, applied, hidesOwn, onHideOwn }
}

/** The records of the log, with their filter, their course over time, and a drawer for one of them. */
export function Log() {
  const { query } = useRoute()
  const isOwner = useIsOwner()
  const byProgram = isOwner && query.by === 'program'
  const { rows, next, total, loading, problem } = useRecords()
  const fields = useRecordFields(rows)
  const { filter, applied, hidesOwn, onHideOwn } = useLogFilter(fields)
  // A `log` change means that the vault returned to an earlier state. New records arrive through `onLog`
  // instead.
  useEffect(() => keepCurrent(() => showRecords(applied), ['log']), [applied])
  useEffect(() => onLog(applyNewRecords), [])

  const { operations } = useLoadedOperations()
  const { lines, setOpen } = useLedgerLines(rows, isOwner)
  const chosen = useChosenRecords(rows, next === null)
  const baseUrl = useBaseUrl()
  const applyFilter = (next: RecordFilter, by = byProgram) =>
    navigate(toHref('requests', id, { ...toRouteQuery(next), by: by ? 'program' : undefined }), {
      replace: true,
    })
  const list = useRows<LedgerLine>('requests', lines, {
    isOwner,
    isFixed: true,
    isPermanent: true,
    listQuery: { ...toRouteQuery(filter), by: query.by },
    listOwnActions: (_, row) =>
      row ? [...createRowActions(row, { operations: isOwner ? operations : [], baseUrl, setOpen })] : [],
  })
  const { id, close, gridProps } = list
  const active = lines[gridProps.active]
  const foldActive = (isOpen: boolean) => active?.fold && void setOpen(active, isOpen)
  useKeys({ arrowright: () => foldActive(true), arrowleft: () => foldActive(false) }, !byProgram)
  useKeys({ escape: chosen.clearSelection }, id === null && !chosen.isEmpty)

  function listActions(index: number, column?: string): readonly GridAction[] {
    const row = lines[index]
    if (!row || row.href !== undefined) return []
    if (isSelected(chosen.selecting.selection, row.id)) return chosen.actions
    const formatValue = (condition: Condition<RecordField>) => formatCellValue(fields, condition)
    const cell = isOwner
      ? listCellActions({ row, column, filter, format: formatValue, onFilter: applyFilter })
      : []
    return [...cell, ...gridProps.listActions(index)]
  }
  /** While a record is open, skips lines that are no records. */
  function activateLine(index: number) {
    const step = index < gridProps.active ? -1 : 1
    let to = index
    while (id !== null && lines[to]?.href !== undefined) to += step
    if (lines[to] || id === null) gridProps.onActive(to)
  }
  const openLine = (index: number) => {
    const href = lines[index]?.href
    if (href === undefined) gridProps.onOpen(index)
    else navigate(href)
  }

  const renderRecord = (of: string, onClose: () => void) => (
    <RecordDrawer key={of} id={of} row={rows.find((row) => row.id === of)} onClose={onClose} />
  )

  return (
    <>
      <RecordFilterBar
        fields={fields}
        filter={filter}
        onFilter={applyFilter}
        byProgram={byProgram}
        onProgram={(by) => applyFilter(filter, by)}
        hidesOwn={hidesOwn}
        onHideOwn={onHideOwn}
        onLeave={list.search.onExit}
      />
      {isOwner && <Timeline filters={applied} onSpan={(span) => applyFilter(withSpan(filter, span))} />}
      <div className={panelStyles.split}>
        {byProgram ? (
          <Programs
            filters={applied}
            onPick={(program) => applyFilter(withProgram(filter, program), false)}
          />
        ) : (
          <RecordList
            grid={{ ...gridProps, onActive: activateLine, onOpen: openLine, listActions }}
            lines={lines}
            isFiltered={applied.conditions.length > 0 || applied.words !== ''}
            onFold={setOpen}
            {...(isOwner && { selecting: chosen.selecting })}
          />
        )}
        <PanelBoundary {...list.beside}>
          <Pinnable screen="requests" id={id} form={false} renderPinned={renderRecord}>
            {id !== null && renderRecord(id, close)}
          </Pinnable>
        </PanelBoundary>
      </div>
      {!byProgram && chosen.bar}
      <div className={screenStyles.foot}>
        <span role="status">{problem === null && formatCount(rows.length, { total, next, loading })}</span>
        <Group component="span" ml="auto" gap={12}>
          {isOwner && <ExportMenu filters={applied} />}
          {byProgram ? t.programs.order : t.order}
        </Group>
      </div>
      {chosen.dialog}
    </>
  )
}

type RecordListProps = {
  readonly grid: Pick<
    ComponentProps<typeof Grid<LedgerLine>>,
    'handle' | 'active' | 'onActive' | 'onOpen' | 'listActions'
  >
  readonly lines: readonly LedgerLine[]
  readonly isFiltered: boolean
  readonly onFold: (line: LedgerLine, isOpen: boolean) => void
  readonly selecting?: ComponentProps<typeof Grid<LedgerLine>>['selecting']
}

function RecordList({ grid, lines, isFiltered, onFold, selecting }: RecordListProps) {
  const { loading, problem, fresh } = useRecords()
  const isOwner = useIsOwner()
  const actor = useActorName()
  const fold = useRef(onFold)
  fold.current = onFold
  const columns = useMemo(
    () => createRecordColumns({ actor, isOwner, onFold: (line, isOpen) => fold.current(line, isOpen) }),
    [actor, isOwner],
  )
  if (problem !== null) {
    return (
      <div className={screenStyles.listFailure}>
        <Failure>{describeError(problem)}</Failure>
        <DeniedReason problem={problem} on={null} />
      </div>
    )
  }
  if (lines.length === 0 && !loading) {
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
      {...grid}
      {...(selecting && { selecting })}
      label={LIST}
      columns={columns}
      count={lines.length + (loading ? PLACEHOLDER_ROWS : 0)}
      row={(index) => lines[index]}
      keyOf={(row) => row.id}
      onView={handleView}
      classOf={(row) =>
        [fresh.has(row.id) ? styles.rowFresh : '', row.status >= 400 ? styles.rowRefused : ''].join(' ')
      }
    />
  )
}

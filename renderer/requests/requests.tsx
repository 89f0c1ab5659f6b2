import './requests.css'
import { SegmentedControl } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useActorName } from '../application-names.ts'
import { LookingRefused } from '../frame/looking-refused.tsx'
import { useMay } from '../looking.ts'
import { go, useRoute } from '../route.ts'
import { hrefOf } from '../route-text.ts'
import { sentenceOf } from '../sentence.ts'
import { onLog } from '../session.ts'
import { strings } from '../strings.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Grid, type GridHandle } from '../ui/grid.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { recordFiltersOf } from './record.ts'
import { recordColumns } from './record-columns.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { RecordFilterBar } from './record-filter-bar.tsx'
import { moreRecords, showRecords, takeRecords, useRecords } from './records-store.ts'
import { RequestBuilder } from './request-builder.tsx'
import { WhyNot } from './why-not.tsx'

const t = strings.requests

/** What was asked for, and the way to ask. */
export function Requests() {
  const { query } = useRoute()
  const building = query.new !== undefined
  const mayRead = useMay('log:read')
  const create = () => go(hrefOf('requests', null, { new: '1' }))
  useKeys({ 'mod+n': create, n: create })
  useKeys({ escape: () => go(hrefOf('requests')) }, building)
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
          onChange={(value) => (value === 'new' ? create() : go(hrefOf('requests')))}
        />
      </div>
      {building ? (
        <RequestBuilder
          op={query.op}
          about={query.about}
          as={query.as}
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

function view(_first: number, last: number): void {
  if (last >= useRecords.getState().rows.length - AHEAD) moreRecords()
}

function Log() {
  const { id, query } = useRoute()
  const { rows, next, loading, problem, fresh } = useRecords()
  const [activeId, setActive] = useState<string | null>(null)
  const grid = useRef<GridHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const actor = useActorName()
  const filterKey = JSON.stringify(recordFiltersOf(query))
  const filters = useMemo(() => recordFiltersOf(JSON.parse(filterKey)), [filterKey])
  useEffect(() => {
    showRecords(filters)
  }, [filters])
  useEffect(() => onLog(takeRecords), [])

  const current = id ?? activeId
  const active = rows.findIndex((row) => row.id === current)
  const record = rows.find((row) => row.id === id)
  const href = (to: string | null) =>
    hrefOf('requests', to, { ...filters, outcome: filters.outcome === 'all' ? undefined : filters.outcome })

  function show(index: number, open: boolean) {
    const row = rows[index]
    if (!row) return
    setActive(row.id)
    if (open) go(href(row.id))
    else if (id !== null) go(href(row.id), { replace: true })
  }
  function close() {
    setActive(id)
    go(href(null))
    grid.current?.focus()
  }
  useKeys({
    'mod+f': () => search.current?.select(),
    '/': () => search.current?.select(),
    arrowdown: () => show(active + 1, false),
    arrowup: () => show(Math.max(0, active - 1), false),
  })
  useKeys({ escape: close }, id !== null)

  return (
    <>
      <RecordFilterBar
        filters={filters}
        onFilter={(part) =>
          go(
            hrefOf('requests', id, {
              ...filters,
              outcome: filters.outcome === 'all' ? undefined : filters.outcome,
              ...part,
            }),
            { replace: true },
          )
        }
        onClear={() => go(hrefOf('requests', id))}
        search={search}
      />
      <div className="split">
        {problem !== null ? (
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
            handle={grid}
            label={t.grid}
            columns={recordColumns(actor)}
            count={rows.length + (next !== null && loading ? 6 : 0)}
            row={(index) => rows[index]}
            keyOf={(row) => row.id}
            active={active}
            onActive={(index) => show(index, false)}
            onOpen={(index) => show(index, true)}
            onView={view}
            classOf={(row) =>
              [fresh.has(row.id) ? 'grid-fresh' : '', row.status >= 400 ? 'row-refused' : ''].join(' ')
            }
          />
        )}
        {record && <RecordDrawer record={record} onClose={close} />}
      </div>
      <div className="screen-foot">
        <span role="status">{t.count(rows.length.toLocaleString('en'), next !== null)}</span>
        <span>{t.order}</span>
      </div>
    </>
  )
}

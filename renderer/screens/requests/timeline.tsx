import { Button, Group } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import type { LogTimeline } from '../../../shared/schemas/log.ts'
import { followRecords, joinStops } from '../../parts/connection/change-subscription.ts'
import { keepLoaded } from '../../parts/connection/connection-state.ts'
import { handleBackgroundError } from '../../parts/connection/incidents.ts'
import { OutcomeBar } from '../../ui/outcome-bar.tsx'
import { OutcomeKey } from '../../ui/outcome-key.tsx'
import tableStyles from '../../ui/row-table.module.css'
import { type DataColumn, DataTable } from '../../ui/row-table.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { getSpan, type RecordFilter } from './record.ts'
import { formatDayAndTime } from './record-columns.tsx'
import styles from './requests.module.css'
import { strings } from './strings.ts'
import { readTimeline, useTimeline } from './timeline-store.ts'

const t = strings.timeline
const REFRESH_INTERVAL_MS = 1000

type Props = {
  readonly filters: RecordFilter
  readonly onSpan: (span: { since: string | undefined; until: string | undefined }) => void
}

/** Records over time, by outcome. Dragging, or the arrow keys and Enter, filter by a time span. */
export function Timeline({ filters, onSpan }: Props) {
  const { timeline, counting } = useTimeline()
  const [asTable, setAsTable] = useState(false)
  useEffect(() => {
    const refreshTimeline = () => readTimeline(filters).catch(handleBackgroundError)
    return joinStops(keepLoaded(refreshTimeline), followRecords(refreshTimeline, REFRESH_INTERVAL_MS))
  }, [filters])
  if (!timeline) return <div className={styles.timeline} />
  const { since, until } = getSpan(filters)
  const isSpan = since !== undefined || until !== undefined
  // Records are later than the vault's time after its clock was set back.
  const spans = timeline.spans.filter(({ at }) => at < timeline.until)
  const later = sumCounts(sumSpans(timeline.spans)) - sumCounts(sumSpans(spans))
  return (
    <section className={styles.timeline} aria-label={t.label}>
      <Bars key={`${timeline.from} ${timeline.step_ms}`} timeline={{ ...timeline, spans }} onSpan={onSpan} />
      <Group className={styles.timelineFoot} gap="4px 12px" mih={26} fz={12}>
        <span className="faint">{formatDayAndTime(Date.parse(timeline.from))}</span>
        <OutcomeKey />
        {counting && <span className="faint">{t.counting}</span>}
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAsTable(!asTable)}>
          {asTable ? t.hideTable : t.table}
        </Button>
        {isSpan && (
          <Button
            size="compact-xs"
            variant="light"
            onClick={() => onSpan({ since: undefined, until: undefined })}
          >
            {t.all}
          </Button>
        )}
        <span className="faint">{formatDayAndTime(Date.parse(timeline.until))}</span>
        {later > 0 && <span className="faint">{t.later(later)}</span>}
      </Group>
      {asTable && <TimelineTable timeline={timeline} />}
    </section>
  )
}

type TimelineSpan = LogTimeline['spans'][number]
type ChosenSpan = { readonly from: number; readonly to: number }

function Bars({ timeline, onSpan }: { timeline: LogTimeline; onSpan: Props['onSpan'] }) {
  const box = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<ChosenSpan | null>(null)
  const from = Date.parse(timeline.from)
  const { step_ms } = timeline
  const count = Math.max(1, Math.ceil((Date.parse(timeline.until) - from) / step_ms))
  const bySlot = new Map(
    timeline.spans.map((span) => [Math.round((Date.parse(span.at) - from) / step_ms), span]),
  )
  const max = Math.max(1, ...timeline.spans.map(sumCounts))
  const [low, high] = chosen ? [Math.min(chosen.from, chosen.to), Math.max(chosen.from, chosen.to)] : [-1, -2]
  const formatSlotStart = (slot: number) => new Date(from + slot * step_ms).toISOString()
  const chosenText =
    chosen &&
    formatSpan(
      sumSpans([...bySlot].flatMap(([slot, span]) => (slot >= low && slot <= high ? span : []))),
      from + low * step_ms,
      from + (high + 1) * step_ms,
    )

  function applySpan(): void {
    if (chosen) onSpan({ since: formatSlotStart(low), until: formatSlotStart(high + 1) })
  }
  function findSlot(event: PointerEvent): number {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * count)))
  }
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const act = findKeyAction(event)
    if (!act) return
    act()
    event.preventDefault()
    event.stopPropagation()
  }
  function findKeyAction({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const at = chosen?.to ?? count
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[key]
    if (to !== undefined) {
      const slot = Math.min(count - 1, Math.max(0, to))
      return () => setChosen({ from: shiftKey && chosen ? chosen.from : slot, to: slot })
    }
    if (!chosen) return undefined
    if (key === 'Enter') return applySpan
    return key === 'Escape' ? () => setChosen(null) : undefined
  }

  return (
    <>
      <div
        ref={box}
        className={styles.timelineBars}
        role="slider"
        tabIndex={0}
        aria-label={t.slider}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={chosen?.to ?? count - 1}
        aria-valuetext={chosenText ?? formatSpan(sumSpans(timeline.spans), from, Date.parse(timeline.until))}
        onKeyDown={handleKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setChosen({ from: findSlot(event), to: findSlot(event) })
        }}
        onPointerMove={(event) => {
          if (chosen && event.currentTarget.hasPointerCapture(event.pointerId))
            setChosen({ ...chosen, to: findSlot(event) })
        }}
        onPointerUp={applySpan}
      >
        {Array.from({ length: count }, (_, slot) => (
          <Bar
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is identified by its position in time
            key={slot}
            span={bySlot.get(slot)}
            max={max}
            isChosen={slot >= low && slot <= high}
          />
        ))}
      </div>
      <p className={`${styles.timelineChosen} help`} role="status">
        {chosenText}
      </p>
    </>
  )
}

function Bar({ span, max, isChosen }: { span: TimelineSpan | undefined; max: number; isChosen: boolean }) {
  return (
    <span className={isChosen ? `${styles.timelineBar} ${styles.timelineBarChosen}` : styles.timelineBar}>
      {span && <OutcomeBar counts={span} max={max} />}
    </span>
  )
}

function TimelineTable({ timeline }: { timeline: LogTimeline }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section className={`${tableStyles.root} ${styles.timelineTable}`} aria-label={t.tableLabel} tabIndex={0}>
      <DataTable
        rows={timeline.spans}
        keyOf={({ at }) => at}
        columns={[
          { label: t.from, is: 'name', render: ({ at }) => formatDayAndTime(Date.parse(at)) },
          ...(['done', 'refused', 'failed'] as const).map(
            (name): DataColumn<TimelineSpan> => ({ label: ui.outcomes[name], render: (span) => span[name] }),
          ),
        ]}
      />
    </section>
  )
}

type SpanCounts = Omit<TimelineSpan, 'at'>

function sumCounts({ done, refused, failed }: SpanCounts): number {
  return done + refused + failed
}

function sumSpans(spans: readonly SpanCounts[]): SpanCounts {
  return spans.reduce(
    (a, b) => ({ done: a.done + b.done, refused: a.refused + b.refused, failed: a.failed + b.failed }),
    { done: 0, refused: 0, failed: 0 },
  )
}

function formatSpan(counts: SpanCounts, from: number, to: number): string {
  return t.span(formatDayAndTime(from), formatDayAndTime(to), counts)
}

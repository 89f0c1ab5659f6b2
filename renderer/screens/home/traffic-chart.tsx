import { Box } from '@mantine/core'
import { type CSSProperties, type KeyboardEvent, type MouseEvent, useRef, useState } from 'react'
import { fromPrograms, getRecordsHref } from '../../parts/navigation/records-href.ts'
import { navigate } from '../../parts/navigation/route.ts'
import { OutcomeBar } from '../../ui/outcome-bar.tsx'
import { formatClockTime } from './clock-time.ts'
import type { Minutes, Traffic } from './home-store.ts'
import { strings } from './strings.ts'
import styles from './traffic-chart.module.css'

const t = strings.traffic
const LABEL_EVERY = 8
const MAX_LINES = 4

/** Opens the records of a bar in Requests. */
function showRecords({ buckets }: Traffic, index: number): void {
  const { [index]: bar, [index + 1]: next } = buckets
  if (!bar) return
  const end = next ? [{ field: 'until' as const, value: next.at }] : []
  navigate(getRecordsHref([...fromPrograms, { field: 'since', value: bar.at }, ...end]))
}

/** Requests over time, with refused and failed ones on top. A click, or the arrow keys and Enter, open a bar's records. */
export function TrafficChart({ traffic, minutes }: { traffic: Traffic; minutes: Minutes }) {
  const box = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const { buckets } = traffic
  const last = buckets.length - 1
  const step = findStep(Math.max(...buckets.map(({ requests }) => requests)))
  const lines = Math.max(1, ...buckets.map(({ requests }) => Math.ceil(requests / step)))

  function findBar(event: MouseEvent): number {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * buckets.length)))
  }
  function handleKeyDown(event: KeyboardEvent): void {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const at = chosen ?? last + 1
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (to !== undefined) setChosen(Math.min(last, Math.max(0, to)))
    else if (event.key === 'Escape') setChosen(null)
    else if (event.key === 'Enter' && chosen !== null) showRecords(traffic, chosen)
    else return
    event.preventDefault()
  }

  return (
    <Box p="8px 0 4px 44px" fz={12}>
      <div className={styles.chart}>
        <Lines count={lines} step={step} />
        <div
          ref={box}
          className={styles.chartBars}
          role="slider"
          tabIndex={0}
          aria-label={t.chart}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={describeBar(traffic, minutes, chosen ?? last)}
          onKeyDown={handleKeyDown}
          onPointerMove={(event) => setChosen(findBar(event))}
          onPointerLeave={() => setChosen(null)}
          onBlur={() => setChosen(null)}
          onClick={(event) => showRecords(traffic, findBar(event))}
        >
          <Bars traffic={traffic} max={lines * step} chosen={chosen} />
        </div>
        {chosen !== null && (
          <p className={styles.chartNote} style={placeNote(chosen, buckets.length)}>
            {describeBar(traffic, minutes, chosen)}
          </p>
        )}
      </div>
      <Times traffic={traffic} minutes={minutes} />
    </Box>
  )
}

/** Lines at multiples of a number of requests, above the axis. */
function Lines({ count, step }: { count: number; step: number }) {
  const max = count * step
  return Array.from({ length: count + 1 }, (_, line) => line * step).map((requests) => (
    <span key={requests} className={styles.chartLine} style={{ bottom: `${(100 * requests) / max}%` }}>
      <span>{requests.toLocaleString('en')}</span>
    </span>
  ))
}

type BarsProps = { readonly traffic: Traffic; readonly max: number; readonly chosen: number | null }

function Bars({ traffic: { buckets }, max, chosen }: BarsProps) {
  return buckets.map(({ at, requests, refused, failed }, index) => (
    <span key={at} className={styles.chartBar} data-chosen={index === chosen || undefined}>
      <OutcomeBar counts={{ done: requests - refused - failed, refused, failed }} max={max} />
    </span>
  ))
}

function Times({ traffic: { buckets }, minutes }: { traffic: Traffic; minutes: Minutes }) {
  return (
    <div className={styles.chartTimes} aria-hidden>
      {buckets.map(
        ({ at }, index) =>
          index % LABEL_EVERY === 0 && (
            <span key={at} style={{ left: `${(100 * (index + 0.5)) / buckets.length}%` }}>
              {formatClockTime(at, minutes)}
            </span>
          ),
      )}
    </div>
  )
}

/** Returns the distance of the lines: a whole number that begins with 1, 2 or 5, so that at most four lines are needed. */
function findStep(max: number): number {
  const rough = Math.max(1, max / MAX_LINES)
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10)
}

const NOTE_WIDTH = 260

/** Places the note over a bar, within the chart. */
function placeNote(index: number, count: number): CSSProperties {
  const at = `${(100 * (index + 0.5)) / count}% - ${NOTE_WIDTH / 2}px`
  return { width: NOTE_WIDTH, left: `clamp(0px, ${at}, 100% - ${NOTE_WIDTH}px)` }
}

function describeBar({ buckets }: Traffic, minutes: Minutes, index: number): string {
  const bar = buckets[index]
  if (!bar) return ''
  return `${formatClockTime(bar.at, minutes)}: ${t.summary(bar.requests, bar.refused, bar.failed)}`
}

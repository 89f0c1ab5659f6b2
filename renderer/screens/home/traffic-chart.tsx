import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { fromPrograms, getRecordsHref } from '../../parts/navigation/records-href.ts'
import { navigate } from '../../parts/navigation/route.ts'
import { formatClockTime } from './clock-time.ts'
import type { Minutes, Traffic } from './home-store.ts'
import { strings } from './strings.ts'

const t = strings.traffic

/** Opens the records of a bar in Requests. */
function showRecords({ buckets }: Traffic, index: number): void {
  const { [index]: bar, [index + 1]: next } = buckets
  if (!bar) return
  const end = next ? [{ field: 'until' as const, value: next.at }] : []
  navigate(getRecordsHref([...fromPrograms, { field: 'since', value: bar.at }, ...end]))
}

/** Requests over time, with refused and failed ones stacked on top. */
export function TrafficChart({ traffic, minutes }: { traffic: Traffic; minutes: Minutes }) {
  const data = traffic.buckets.map(({ at, requests, refused, failed }) => ({
    time: formatClockTime(at, minutes),
    [t.done]: requests - refused - failed,
    [t.refused]: refused,
    [t.failed]: failed,
  }))
  return (
    <BarChart
      h={170}
      data={data}
      dataKey="time"
      type="stacked"
      series={[
        { name: t.done, color: 'var(--accent)' },
        { name: t.refused, color: 'var(--red-line)' },
        { name: t.failed, color: 'var(--red)' },
      ]}
      gridAxis="x"
      tickLine="none"
      withBarValueLabel={false}
      barProps={({ name }) => ({
        isAnimationActive: false,
        maxBarSize: 14,
        ...(name === t.refused && { fill: 'url(#refused-bar)' }),
      })}
      barChartProps={{
        margin: { top: 8 },
        onClick: ({ activeTooltipIndex }) => showRecords(traffic, Number(activeTooltipIndex)),
      }}
      xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 40 }}
      yAxisProps={{
        width: 52,
        allowDecimals: false,
        tickFormatter: (count: number) => count.toLocaleString('en'),
      }}
      valueFormatter={(count) => count.toLocaleString('en')}
      tooltipAnimationDuration={0}
    >
      <RefusedPattern />
    </BarChart>
  )
}

/** Hatches refused requests, because colour alone does not tell them apart. */
function RefusedPattern() {
  return (
    <defs>
      <pattern
        id="refused-bar"
        width={4}
        height={4}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width={4} height={4} fill="var(--red-line)" />
        <rect width={2} height={4} fill="var(--red)" />
      </pattern>
    </defs>
  )
}

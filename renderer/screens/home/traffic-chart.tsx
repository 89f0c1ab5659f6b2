import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Minutes, Traffic } from './home-store.ts'
import { strings } from './strings.ts'

const t = strings.traffic

function timeOf(at: string, minutes: Minutes): string {
  const time = new Date(at)
  if (minutes > 1440) return time.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

/** Requests over time, with refused and failed ones stacked on top. */
export function TrafficChart({ traffic, minutes }: { traffic: Traffic; minutes: Minutes }) {
  const data = traffic.buckets.map(({ at, requests, refused, failed }) => ({
    time: timeOf(at, minutes),
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
        { name: t.refused, color: 'var(--red)' },
        { name: t.failed, color: 'var(--amber)' },
      ]}
      gridAxis="x"
      tickLine="none"
      withBarValueLabel={false}
      barProps={{ isAnimationActive: false, maxBarSize: 14 }}
      barChartProps={{ margin: { top: 8 } }}
      xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 40 }}
      yAxisProps={{ width: 36, allowDecimals: false }}
      tooltipAnimationDuration={0}
    />
  )
}

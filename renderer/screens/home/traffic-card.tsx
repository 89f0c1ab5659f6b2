import { SegmentedControl } from '@mantine/core'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { fromPrograms, getRecordsHref } from '../../parts/navigation/records-href.ts'
import { Loading } from '../../ui/loading.tsx'
import { OutcomeKey } from '../../ui/outcome-key.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { formatClockTime } from './clock-time.ts'
import styles from './home.module.css'
import { type Minutes, showTraffic, type Traffic, useHome } from './home-store.ts'
import { strings } from './strings.ts'
import { TrafficChart } from './traffic-chart.tsx'

const t = strings.traffic
const ranges: readonly Minutes[] = [60, 1440, 10080]

/** Requests from programs: total, refused, failed, and response times. */
export function TrafficCard() {
  const { traffic, minutes } = useHome()
  const requests = traffic?.buckets.reduce((sum, bucket) => sum + bucket.requests, 0) ?? 0
  const refused = traffic?.buckets.reduce((sum, bucket) => sum + bucket.refused, 0) ?? 0
  const failed = traffic?.buckets.reduce((sum, bucket) => sum + bucket.failed, 0) ?? 0
  return (
    <section className={`${styles.tile} ${styles.tileWide} ${styles.tileTrafficCard}`}>
      <div className={styles.tileHead}>
        <h2>{t.title}</h2>
        {requests > 0 && (
          <span className="faint">
            {traffic && t.since(formatClockTime(traffic.since, minutes))}
            {t.summary(requests, refused, failed)}
          </span>
        )}
        <SegmentedControl
          aria-label={t.range}
          data={ranges.map((value) => ({ value: String(value), label: t.ranges[value] }))}
          value={String(minutes)}
          onChange={(value) => showTraffic(ranges.find((each) => String(each) === value) ?? 60)}
        />
      </div>
      {traffic === null && <Loading lines={6} />}
      {traffic && requests === 0 && <p className={styles.tileNothing}>{t.none}</p>}
      {traffic && requests > 0 && (
        <div className={styles.tileTraffic}>
          <div className={styles.tileChart}>
            <TrafficChart traffic={traffic} minutes={minutes} />
            <OutcomeKey />
            {!traffic.complete && <p className="faint">{t.partial}</p>}
          </div>
          <Speeds traffic={traffic} />
        </div>
      )}
    </section>
  )
}

/** Response times are counted in two significant digits, so from 10 ms on a decimal would be made up. */
function formatSpeed(ms: number): string {
  if (ms < 10) return formatDuration(ms)
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(2))} s`
}

function Speeds({ traffic }: { traffic: Traffic }) {
  return (
    <table className={styles.speeds}>
      <caption className="visually-hidden">{t.speed}</caption>
      <thead>
        <tr>
          {[t.operation, t.requests, t.p50, t.p95].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {traffic.operations.slice(0, 20).map(({ operation, requests, p50_ms, p95_ms }, at) => (
          <tr key={operation} className={at < 7 ? undefined : styles.more}>
            <td className="mono">
              <LinkButton
                to={getRecordsHref([
                  { field: 'action', value: operation },
                  ...fromPrograms,
                  { field: 'since', value: traffic.since },
                ])}
                label={operation}
              />
            </td>
            <td>{requests.toLocaleString('en')}</td>
            <td>{formatSpeed(p50_ms)}</td>
            <td>{formatSpeed(p95_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

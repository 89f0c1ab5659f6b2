import { useClock } from './clock.ts'
import { formatCountdown, formatExactTime } from './relative-time.ts'
import timeStyles from './time.module.css'

const SOON_MS = 86_400_000

/** The time left until `at`, to the second. Amber on the last day. */
export function Countdown({ at }: { at: string }) {
  const ms = Date.parse(at)
  const text = useClock((now) => formatCountdown(ms - now))
  const isSoon = useClock((now) => ms - now < SOON_MS)
  return (
    <time dateTime={at} title={formatExactTime(ms)} className={isSoon ? timeStyles.soon : undefined}>
      {text}
    </time>
  )
}

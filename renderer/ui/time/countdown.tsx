import { useClock } from './clock.ts'
import { formatCountdown, formatExactTime } from './relative-time.ts'
import timeStyles from './time.module.css'

const DAY_MS = 86_400_000

type Props = {
  readonly at: string
  /** How long before the end the text is amber. */
  readonly soon_ms?: number
  /** Replaces the countdown at its end. */
  readonly over?: string
}

/** The time left until `at`, to the second. Amber on the last day, or as `soon_ms` says. */
export function Countdown({ at, soon_ms = DAY_MS, over }: Props) {
  const ms = Date.parse(at)
  const text = useClock((now) => (over !== undefined && now >= ms ? over : formatCountdown(ms - now)))
  const isSoon = useClock((now) => ms - now < soon_ms)
  return (
    <time dateTime={at} title={formatExactTime(ms)} className={isSoon ? timeStyles.soon : undefined}>
      {text}
    </time>
  )
}

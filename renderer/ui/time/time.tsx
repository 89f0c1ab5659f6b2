import { type Clock, useClock } from './clock.ts'
import { formatAge, formatAhead, formatExactTime } from './relative-time.ts'

type Props = {
  readonly at: string
  /** The time is in the future, such as an expiry. */
  readonly ahead?: boolean
  readonly withoutSuffix?: boolean
  readonly clock?: Clock
  readonly className?: string
}

/** A relative time; the tooltip has the exact one. */
export function Time({ at, ahead = false, withoutSuffix = false, clock, className }: Props) {
  const ms = Date.parse(at)
  const text = useClock((now) => (ahead ? formatAhead(ms - now) : formatAge(now - ms, withoutSuffix)), clock)
  return (
    <time dateTime={at} title={formatExactTime(ms)} className={className}>
      {text}
    </time>
  )
}

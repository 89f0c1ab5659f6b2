import { type Clock, useClock } from './clock.ts'
import { formatAge, formatAhead, formatExactTime } from './relative-time.ts'

type Props = {
  readonly at: string
  /** A time to come, such as of an expiry; else one of something that has happened. */
  readonly ahead?: boolean
  /** Without “ago”. */
  readonly withoutSuffix?: boolean
  /** Whose clock wrote the time. */
  readonly clock?: Clock
}

/** A time relative to now, exact on hover. */
export function Time({ at, ahead = false, withoutSuffix = false, clock }: Props) {
  const ms = Date.parse(at)
  const text = useClock(
    (now) => (ahead ? formatAhead(ms - now) : formatAge(now - ms, ms, withoutSuffix)),
    clock,
  )
  return (
    <time dateTime={at} title={formatExactTime(ms)}>
      {text}
    </time>
  )
}

import { type Clock, useClock } from './clock.ts'
import { ageText, aheadText, exactTime } from './relative-time.ts'

type Props = {
  readonly at: string
  /** A time to come, such as of an expiry; else one of something that has happened. */
  readonly ahead?: boolean
  /** Without “ago”. */
  readonly bare?: boolean
  /** Whose clock wrote the time. */
  readonly clock?: Clock
}

/** A time relative to now, exact on hover. */
export function Time({ at, ahead = false, bare = false, clock }: Props) {
  const ms = Date.parse(at)
  const text = useClock((now) => (ahead ? aheadText(ms - now) : ageText(now - ms, ms, bare)), clock)
  return (
    <time dateTime={at} title={exactTime(ms)}>
      {text}
    </time>
  )
}

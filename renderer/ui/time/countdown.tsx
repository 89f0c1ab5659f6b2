import { useClock } from './clock.ts'
import { countdownOf, exactTime } from './relative-time.ts'

const SOON_MS = 86_400_000

/** The time left until `at`, to the second; amber below one day. */
export function Countdown({ at }: { at: string }) {
  const ms = Date.parse(at)
  const text = useClock((now) => countdownOf(ms - now))
  const isSoon = useClock((now) => ms - now < SOON_MS)
  return (
    <time dateTime={at} title={exactTime(ms)} className={isSoon ? 'countdown-soon' : undefined}>
      {text}
    </time>
  )
}

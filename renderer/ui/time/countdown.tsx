import { countdownOf, exactTime } from './relative-time.ts'
import { useNow } from './use-now.ts'

const SOON_MS = 86_400_000

/** The time left until `at`, to the second; amber below one day. */
export function Countdown({ at }: { at: string }) {
  const now = useNow(1000)
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(ms)} className={ms - now < SOON_MS ? 'countdown-soon' : undefined}>
      {countdownOf(ms - now)}
    </time>
  )
}

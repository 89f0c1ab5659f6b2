import { strings } from '../strings.ts'
import { exactTime, lengthOf } from './relative-time.ts'
import { useNow } from './use-now.ts'

/** A time relative to now, exact on hover. */
export function Time({ at, bare = false }: { at: string; bare?: boolean }) {
  const now = useNow(20_000)
  const ms = Date.parse(at)
  const distance = now - ms
  const length = lengthOf(distance)
  const text =
    Math.abs(distance) < 5000 ? strings.justNow : distance < 0 ? strings.ahead(length) : strings.ago(length)
  return (
    <time dateTime={at} title={exactTime(ms)}>
      {bare && Math.abs(distance) >= 5000 ? length : text}
    </time>
  )
}

import type { Minutes } from './home-store.ts'

/** The time of day of a moment, or the day where the period is several days long. */
export function formatClockTime(at: string, minutes: Minutes): string {
  const time = new Date(at)
  if (minutes > 1440) return time.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

import type { Minutes } from './home-store.ts'

/** The time of day, or the day if the period spans several days. */
export function formatClockTime(at: string, minutes: Minutes): string {
  const time = new Date(at)
  if (minutes > 1440) return time.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

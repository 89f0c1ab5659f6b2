import { formatCount } from './format-count.ts'
import { formatIsoTime } from './time.ts'
import { z } from './zod.ts'

/** Tokens that expire within this time count as expiring soon. */
const SOON_DAYS = 30

/** How many tokens of an import will be deleted because they expire. */
export const expiring = z.object({ total: z.int(), soon: z.int(), first: z.string() })
export type Expiring = z.output<typeof expiring>

/** Returns the counts with one more token, which expires at `expires_at`. All times are epoch milliseconds. */
export function withExpiring(before: Expiring | null, expires_at: number, now: number): Expiring {
  const { total, soon } = before ?? { total: 0, soon: 0 }
  const isSoon = expires_at <= now + SOON_DAYS * 86_400_000
  const first = formatIsoTime(Math.min(expires_at, before ? Date.parse(before.first) : expires_at))
  return { total: total + 1, soon: soon + (isSoon ? 1 : 0), first }
}

/** Returns a sentence that says how many tokens will be deleted, and when the first; empty for none. */
export function formatExpiring(expiring: Expiring | null): string {
  if (!expiring) return ''
  const { total, soon, first } = expiring
  const count = soon > 0 ? soon : total
  const which = `${count.toLocaleString('en')} of these tokens will`
  const when = soon > 0 ? `be deleted within ${formatCount(SOON_DAYS, 'day')}` : 'expire and be deleted'
  const date = `${first.slice(0, 16).replace('T', ' ')} UTC`
  return `${which} ${when}, ${total === 1 ? '' : 'the first '}on ${date}.`
}

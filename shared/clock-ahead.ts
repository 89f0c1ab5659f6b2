import { type EntityWith, entities, getPlural } from './entities.ts'
import { formatCount } from './format-count.ts'

/** What expires. A CVC does so before its token. */
export type ExpiringKind = EntityWith<'expires'> | 'cvc'

/** The member that counts each kind, in the order in which they are listed. */
const members = {
  token: 'tokens',
  cvc: 'cvcs',
  application: 'applications',
  token_intent: 'token_intents',
  session: 'sessions',
  client_key: 'client_keys',
  three_ds_session: 'three_ds_sessions',
  account_updater_job: 'account_updater_jobs',
  apple_pay: 'apple_pay_payments',
  google_pay: 'google_pay_payments',
  log: 'log_records',
} as const satisfies Readonly<Record<ExpiringKind, string>>
const expiringKinds = Object.keys(members) as ExpiringKind[]

type OverdueMember = (typeof members)[ExpiringKind]

/** Returns one value for each kind that expires, under the member that counts it. */
export function mapExpiring<Value>(getValue: (kind: ExpiringKind) => Value): Record<OverdueMember, Value> {
  const entries = expiringKinds.map((kind) => [members[kind], getValue(kind)])
  return Object.fromEntries(entries) as Record<OverdueMember, Value>
}

/** Counting stops here, which limits its cost; the text then says "more than 100,000". */
export const MAX_COUNTED_OVERDUE = 100_000

/** How much overdue data would be deleted, by kind. Counting stops at `MAX_COUNTED_OVERDUE` + 1. */
export type Overdue = Readonly<Record<OverdueMember, number>>

/**
 * Set while the clock is far ahead of the last time that the vault has recorded: no expired data is deleted until the
 * owner decides.
 */
export type ClockAhead = { readonly days: number; readonly overdue: Overdue }

function getNames(kind: ExpiringKind): readonly [one: string, several: string] {
  if (kind === 'cvc') return ['CVC', 'CVCs']
  if (kind === 'log') return ['log record', 'log records']
  return [entities[kind].name, getPlural(kind)]
}

/** Says how far ahead the clock is, and which expired data would be deleted. */
export function formatClockAhead({ days, overdue }: ClockAhead): string {
  const counts = expiringKinds.flatMap((kind) => {
    const count = overdue[members[kind]]
    const [one, several] = getNames(kind)
    if (count === 0) return []
    if (count > MAX_COUNTED_OVERDUE)
      return [`more than ${MAX_COUNTED_OVERDUE.toLocaleString('en-US')} ${several}`]
    return [`${count.toLocaleString('en-US')} ${count === 1 ? one : several}`]
  })
  const last = counts.pop() ?? ''
  const all = counts.length === 0 ? last : `${counts.join(', ')} and ${last}`
  return `The clock is ${formatCount(days.toLocaleString('en-US'), 'day')} ahead of when this vault was last in use. ${all} would be deleted as expired.`
}

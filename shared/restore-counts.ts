import { type EntityWith, entities, getPlural } from './entities.ts'
import { formatCount } from './format-count.ts'

export type RestoredEntity = EntityWith<'restored', 'returns' | 'works'>

/** The member that counts each entity, in the order in which they are listed. */
const members = {
  application: 'applications',
  application_key: 'keys',
  token: 'tokens',
  proxy: 'proxies',
  reactor: 'reactors',
  webhook: 'webhooks',
  document: 'documents',
  apple_pay: 'apple_pay_payments',
  google_pay: 'google_pay_payments',
  network_token: 'network_tokens',
  wallet_merchant: 'wallet_merchants',
  client_key: 'client_keys',
  merchant: 'merchants',
  agent: 'agents',
  enrollment: 'enrollments',
} as const satisfies Readonly<Record<RestoredEntity, string>>
const restoredEntities = Object.keys(members) as RestoredEntity[]

type RestoreMember = (typeof members)[RestoredEntity]

/** Returns one value for each entity that a restore brings back, under the member that counts it. */
export function mapRestored<Value>(
  getValue: (entity: RestoredEntity) => Value,
): Record<RestoreMember, Value> {
  const entries = restoredEntities.map((entity) => [members[entity], getValue(entity)])
  return Object.fromEntries(entries) as Record<RestoreMember, Value>
}

/** How many entities that were deleted since a backup was made a restore would bring back. */
export type RestoreCounts = Readonly<Record<RestoreMember, number>>

/** Lists what a restore brings back; empty if it brings back nothing. */
export function formatRestored(counts: RestoreCounts): string {
  return restoredEntities
    .filter((entity) => counts[members[entity]] > 0)
    .map((entity) => formatCount(counts[members[entity]], entities[entity].name, getPlural(entity)))
    .join(', ')
}

/** Says which of them will work again, after a space; empty if none will. */
export function formatWorkingAgain(counts: RestoreCounts): string {
  const working = restoredEntities
    .filter((entity) => entities[entity].restored === 'works' && counts[members[entity]] > 0)
    .map((entity) => members[entity])
  return working.length === 0 ? '' : ` The ${working.join(' and ')} will work again.`
}

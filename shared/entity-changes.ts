/**
 * The entities that can change. `key_use` is the time when keys were last used. `log` changes only when the vault
 * returns to an earlier state, because new log entries are delivered as records.
 */
const changingEntities = [
  'token',
  'token_intent',
  'application',
  'application_key',
  'key_use',
  'session',
  'proxy',
  'exchange',
  'document',
  'reactor',
  'reactor_run',
  'webhook',
  'delivery',
  'signing_key',
  'client_key',
  'three_ds_session',
  'tenant',
  'invitation',
  'bank_account',
  'bin',
  'saved_search',
  'draft',
  'log',
] as const
export type ChangingEntity = (typeof changingEntities)[number]

export type ChangeKind = 'created' | 'updated' | 'deleted'

/**
 * A change to entities of one type, delivered once it is on disk. An expired token is `deleted`; a card whose cvc has
 * expired is `updated`. Changes to one type arrive in the order in which they happened.
 */
export type EntityChange = {
  readonly entity: ChangingEntity
  readonly kind: ChangeKind
  /** `unnamed` if too many entities changed, or if their ids would be data, such as account numbers. */
  readonly ids: readonly string[] | 'unnamed'
}

/** The changes to report after the vault has returned to an earlier state: every entity may differ. */
export const everythingChanged: readonly EntityChange[] = changingEntities.map((entity) => ({
  entity,
  kind: 'updated',
  ids: 'unnamed',
}))

/**
 * What a vault tells changes of. `key_use` is when keys were used; `log` changes only where the vault goes back to an
 * earlier state, because what it gains is told as records.
 */
const changingEntities = [
  'token',
  'token_intent',
  'application',
  'application_key',
  'key_use',
  'session',
  'tenant',
  'bank_account',
  'bin',
  'log',
] as const
export type ChangingEntity = (typeof changingEntities)[number]

export type ChangeKind = 'created' | 'updated' | 'deleted'

/**
 * What happened to entities of one sort, told after it is on disk. Expiry deletes a token and updates a card that loses
 * its cvc. Changes of one sort come in the order in which they happened.
 */
export type Change = {
  readonly entity: ChangingEntity
  readonly kind: ChangeKind
  /** `unnamed`: too many to name, or what would name them is data, such as an account number. */
  readonly ids: readonly string[] | 'unnamed'
}

/** Another state of the whole vault in place of the one that was there. */
export const everythingChanged: readonly Change[] = changingEntities.map((entity) => ({
  entity,
  kind: 'updated',
  ids: 'unnamed',
}))

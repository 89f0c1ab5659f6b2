import { type ChangingEntity, changingEntities } from './entities.ts'

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

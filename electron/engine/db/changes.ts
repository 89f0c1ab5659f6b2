import type { ChangingEntity } from '../../../shared/entities.ts'
import type { ChangeKind, EntityChange } from '../../../shared/entity-changes.ts'
import type { Database } from './open.ts'

/** One change made by a store; a null id represents several entities. */
type RecordedChange = {
  readonly entity: ChangingEntity
  readonly kind: ChangeKind
  readonly id: string | null
}

const recordedChanges = new WeakMap<Database, RecordedChange[]>()

function getRecordedChanges(db: Database): RecordedChange[] {
  let all = recordedChanges.get(db)
  if (!all) {
    all = []
    recordedChanges.set(db, all)
  }
  return all
}

/** Records, inside a transaction, that an entity changes, as every store does. SECURITY: pass an id, never data. */
export function recordChange(db: Database, entity: ChangingEntity, kind: ChangeKind, id: string): void {
  getRecordedChanges(db).push({ entity, kind, id })
}

/** Records a change of several entities without ids, because these are too many or are identified by data. */
export function recordBulkChange(db: Database, entity: ChangingEntity, kind: ChangeKind): void {
  getRecordedChanges(db).push({ entity, kind, id: null })
}

/** Returns how many changes the transaction has recorded, for `dropChanges`. */
export function countChanges(db: Database): number {
  return getRecordedChanges(db).length
}

/** Drops the changes recorded after the first `after`, because their rows were rolled back. */
export function dropChanges(db: Database, after = 0): void {
  getRecordedChanges(db).length = after
}

/** Removes and returns the changes that a transaction has recorded, for delivery after its commit. */
export function takeChanges(db: Database): EntityChange[] {
  const all = getRecordedChanges(db)
  const [first] = all
  if (!first) return []
  recordedChanges.set(db, [])
  const { entity, kind, id } = first
  if (all.length === 1) return [{ entity, kind, ids: id === null ? 'unnamed' : [id] }]
  const changes = new ChangeList()
  for (const { entity, kind, id } of all) changes.add(entity, kind, id === null ? 'unnamed' : [id])
  return changes.take()
}

/** The maximum number of ids per entity type. */
const MAX_NAMED_IDS = 1000
/** The maximum number of merged changes per entity type. Changes whose kinds alternate cannot be merged into one. */
const MAX_CHANGES_PER_ENTITY = 50

type ChangeGroup = { readonly kind: ChangeKind; ids: Set<string> | 'unnamed' }

/**
 * Merges changes in bounded memory. Consecutive changes of the same entity type and kind become one. If one
 * type has too many, only their kinds remain.
 */
export class ChangeList {
  #groups = new Map<ChangingEntity, ChangeGroup[]>()

  add(entity: ChangingEntity, kind: ChangeKind, ids: Iterable<string> | 'unnamed'): void {
    const groups = this.#groups.get(entity) ?? []
    let group = groups.at(-1)
    if (group?.kind !== kind) group = groups.find((each) => each.kind === kind && each.ids === 'unnamed')
    if (!group) {
      group = { kind, ids: new Set() }
      groups.push(group)
    }
    if (ids === 'unnamed') group.ids = 'unnamed'
    else if (group.ids !== 'unnamed') for (const id of ids) group.ids.add(id)
    this.#groups.set(entity, isOverLimit(groups, group) ? dropIds(groups) : groups)
  }

  take(): EntityChange[] {
    const groups = this.#groups
    this.#groups = new Map()
    return [...groups].flatMap(([entity, each]) =>
      each.map(({ kind, ids }) => ({ entity, kind, ids: ids === 'unnamed' ? ids : [...ids] })),
    )
  }
}

function isOverLimit(groups: readonly ChangeGroup[], { ids }: ChangeGroup): boolean {
  return groups.length > MAX_CHANGES_PER_ENTITY || (ids !== 'unnamed' && ids.size > MAX_NAMED_IDS)
}

function dropIds(groups: readonly ChangeGroup[]): ChangeGroup[] {
  return [...new Set(groups.map(({ kind }) => kind))].map((kind) => ({ kind, ids: 'unnamed' }))
}

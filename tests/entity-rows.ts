import type { Database } from '../electron/engine/db/open.ts'
import { sql } from '../electron/engine/db/statement.ts'
import { type ChangingEntity, changingEntities } from '../shared/entities.ts'
import type { EntityChange } from '../shared/entity-changes.ts'

/** The ids of changed entities, in order, by entity and kind of change, such as `token created`. */
export type ReportedChanges = Record<string, string[] | 'unnamed'>

/** A row of a table, by column. */
export type Row = Record<string, unknown>
/** The rows of each table, by what identifies them. */
export type Rows = Record<string, ReadonlyMap<string, Row>>

/** The SQL expression that identifies a row, if it is not `id`. */
const keys: Partial<Record<ChangingEntity, string>> = {
  delivery: 'seq',
  bank_account: 'routing_number || account_number',
  bin: 'digits || first',
}
/**
 * The tables with reported changes. Uses of keys are columns of `application_key`, and new log records are not
 * reported as changes.
 */
const tables = changingEntities.filter((entity) => entity !== 'key_use' && entity !== 'log')
const unnamed: readonly string[] = ['bank_account', 'bin', 'delivery']

/** Reads the tables of all entities. */
export function readRows(db: Database): Rows {
  return Object.fromEntries(
    tables.map((table) => {
      const rows = sql<Row>(db, `SELECT ${keys[table] ?? 'id'} AS named_by, * FROM ${table}`).all()
      return [table, new Map(rows.map((row) => [String(row.named_by), row]))]
    }),
  )
}

/** Groups reported changes by entity and kind. */
export function toReportedChanges(changes: readonly EntityChange[]): ReportedChanges {
  const reported: ReportedChanges = {}
  for (const { entity, kind, ids } of changes) {
    const name = `${entity} ${kind}`
    const before = reported[name] ?? []
    reported[name] =
      ids === 'unnamed' || before === 'unnamed' ? 'unnamed' : [...new Set([...before, ...ids])].sort()
  }
  return reported
}

/** Returns the changes that a vault has to report, because its tables show them. */
export function computeExpected(before: Rows, after: Rows): ReportedChanges {
  const changes: EntityChange[] = []
  for (const table of tables) {
    const [were, are] = [before[table], after[table]]
    for (const id of new Set([...(were?.keys() ?? []), ...(are?.keys() ?? [])]))
      changes.push(...listRowChanges(table, id, were?.get(id), are?.get(id)))
  }
  return toReportedChanges(changes)
}

function listRowChanges(
  table: ChangingEntity,
  id: string,
  was: Row | undefined,
  is: Row | undefined,
): EntityChange[] {
  if (was === is) return []
  const ids = unnamed.includes(table) ? 'unnamed' : [id]
  // A new token may have the id and the rowid of a deleted one, so compare the times of creation too.
  if (!was || !is || was.created_at !== is.created_at) {
    const gone: EntityChange[] = was ? [{ entity: table, kind: 'deleted', ids }] : []
    return is ? [...gone, { entity: table, kind: 'created', ids }] : gone
  }
  const changes: EntityChange[] = []
  if (formatRow(was) !== formatRow(is)) changes.push({ entity: table, kind: 'updated', ids })
  if (usesIn(was) !== usesIn(is)) {
    const uses = table === 'application_key' ? [id] : 'unnamed'
    changes.push({ entity: 'key_use', kind: 'updated', ids: uses })
  }
  return changes
}

/**
 * Formats a row without its last use and hint, which `usesIn` compares, and without a webhook's number of pending
 * deliveries.
 */
function formatRow(row: Row): string {
  let text = formatted.get(row)
  if (text === undefined) {
    const { last_used_at: _, hint: __, waiting: ___, ...rest } = row
    text = JSON.stringify(rest)
    formatted.set(row, text)
  }
  return text
}

/** A row is compared with the one before it, and then with the one after it. */
const formatted = new WeakMap<Row, string>()

function usesIn({ last_used_at, hint }: Row): string {
  return JSON.stringify([last_used_at, hint])
}

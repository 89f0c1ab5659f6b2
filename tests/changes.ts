import { onTestFinished } from 'vitest'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { type Database, openDatabase } from '../electron/engine/db/open.ts'
import type { ChangingEntity, EntityChange } from '../shared/entity-changes.ts'
import { openVault } from './vault.ts'

/** Changes by entity and kind, such as `token created`; the ids in order. */
export type ReportedChanges = Record<string, string[] | 'unnamed'>

type Row = Record<string, unknown>
type Rows = Record<string, ReadonlyMap<string, Row>>

/** The columns that identify a row of each table with reported changes. */
const keys: Partial<Record<ChangingEntity, string>> = {
  token: 'id',
  token_intent: 'id',
  application: 'id',
  application_key: 'id',
  session: 'id',
  proxy: 'id',
  exchange: 'id',
  reactor: 'id',
  reactor_run: 'id',
  client_key: 'id',
  three_ds_session: 'id',
  document: 'id',
  tenant: 'id',
  invitation: 'id',
  webhook: 'id',
  delivery: 'seq',
  bank_account: 'routing_number || account_number',
  bin: 'digits || first',
  saved_search: 'id',
  draft: 'id',
}
const unnamed = ['bank_account', 'bin', 'delivery']

/** Opens a vault, and compares the changes it reports with the changes of its tables. */
export function openVaultWithChanges() {
  const changes: EntityChange[] = []
  const vault = openVault({ onChanges: (news) => changes.push(...news), ephemeral: true })
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => {
    db.close()
  })
  return {
    vault,
    /** A separate connection, in addition to the engine's. */
    db,
    changes,
    /** Runs an action. Returns the reported changes, and those that should have been reported. */
    async watch(act: () => unknown) {
      vault.engine.flushLog()
      changes.length = 0
      const before = rowsIn(db)
      await act()
      vault.engine.flushLog()
      return { told: toldBy(changes), expected: expectedOf(before, rowsIn(db)) }
    },
  }
}

function rowsIn(db: Database): Rows {
  return Object.fromEntries(
    Object.entries(keys).map(([table, key]) => {
      const rows = db.prepare(`SELECT ${key} AS named_by, * FROM ${table}`).all() as Row[]
      return [table, new Map(rows.map((row) => [String(row.named_by), row]))]
    }),
  )
}

function toldBy(changes: readonly EntityChange[]): ReportedChanges {
  const told: ReportedChanges = {}
  for (const { entity, kind, ids } of changes) {
    const name = `${entity} ${kind}`
    const before = told[name] ?? []
    told[name] =
      ids === 'unnamed' || before === 'unnamed' ? 'unnamed' : [...new Set([...before, ...ids])].sort()
  }
  return told
}

function expectedOf(before: Rows, after: Rows): ReportedChanges {
  const told: ReportedChanges = {}
  const tell = (name: string, id: string, isNamed: boolean) => {
    const ids = told[name] ?? []
    told[name] = !isNamed || ids === 'unnamed' ? 'unnamed' : [...new Set([...ids, id])].sort()
  }
  for (const table of Object.keys(keys)) {
    const [were, are] = [before[table], after[table]]
    for (const id of new Set([...(were?.keys() ?? []), ...(are?.keys() ?? [])])) {
      const [was, is] = [were?.get(id), are?.get(id)]
      const isNamed = !unnamed.includes(table)
      // Another token may reuse the id of a deleted one, and its rowid too.
      const isOther = was?.created_at !== is?.created_at
      if (was && (!is || isOther)) tell(`${table} deleted`, id, isNamed)
      if (is && (!was || isOther)) tell(`${table} created`, id, isNamed)
      if (!was || !is || isOther) continue
      if (textOf(was) !== textOf(is)) tell(`${table} updated`, id, isNamed)
      if (usesIn(was) !== usesIn(is)) tell('key_use updated', id, table === 'application_key')
    }
  }
  return told
}

/** The number of pending deliveries of a webhook follows from these columns. */
function textOf({ last_used_at: _, hint: __, waiting: ___, ...row }: Row): string {
  return JSON.stringify(row)
}

function usesIn({ last_used_at, hint }: Row): string {
  return JSON.stringify([last_used_at, hint])
}

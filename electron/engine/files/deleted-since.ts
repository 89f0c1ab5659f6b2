import { deriveDatabaseKey } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { openReadOnly } from '../db/open.ts'
import type { VaultDatabaseFile } from './inspect-file.ts'

/** The numbers of entities that an earlier state of a vault contains and the current state does not. */
export type DeletedSince = {
  readonly applications: number
  readonly keys: number
  readonly tokens: number
  readonly proxies: number
  readonly reactors: number
  readonly webhooks: number
  readonly documents: number
  readonly client_keys: number
}

/**
 * Queries for sorted ids. They leave out entities that have expired by `now`, because a restored vault would delete
 * them right away.
 */
const liveIdQueries = {
  applications: 'SELECT id FROM application WHERE expires_at IS NULL OR expires_at > ? ORDER BY id',
  keys: `SELECT key.id FROM application_key AS key JOIN application ON application.id = key.application_id
    WHERE expires_at IS NULL OR expires_at > ? ORDER BY key.id`,
  tokens: 'SELECT id FROM token WHERE expires_at IS NULL OR expires_at > ? ORDER BY id',
  proxies: 'SELECT id FROM proxy WHERE ? IS NOT NULL ORDER BY id',
  reactors: 'SELECT id FROM reactor WHERE ? IS NOT NULL ORDER BY id',
  webhooks: 'SELECT id FROM webhook WHERE ? IS NOT NULL ORDER BY id',
  documents: 'SELECT id FROM document WHERE ? IS NOT NULL ORDER BY id',
  client_keys: 'SELECT id FROM client_key WHERE expires_at > ? ORDER BY id',
} as const

/** Tables that files of older versions do not have. */
const newerTables: Partial<Record<keyof typeof liveIdQueries, string>> = {
  proxies: 'proxy',
  reactors: 'reactor',
  webhooks: 'webhook',
  documents: 'document',
  client_keys: 'client_key',
}

/**
 * Counts the entities that exist in `then` but no longer in `today`. Reads both files; other connections may have them
 * open. Throws `damaged`, `unavailable`.
 */
export function countDeletedSince({
  then,
  today,
  now,
}: {
  then: VaultDatabaseFile
  today: VaultDatabaseFile
  now: number
}): DeletedSince {
  const keys = [deriveDatabaseKey(then.master), deriveDatabaseKey(today.master)] as const
  const files: Database[] = []
  try {
    const before = openReadOnly(then.database, keys[0])
    files.push(before)
    const after = openReadOnly(today.database, keys[1])
    files.push(after)
    const countDeleted = (what: keyof typeof liveIdQueries) =>
      countMissing(iterateIds(before, what, now), iterateIds(after, what, now))
    return {
      applications: countDeleted('applications'),
      keys: countDeleted('keys'),
      tokens: countDeleted('tokens'),
      proxies: countDeleted('proxies'),
      reactors: countDeleted('reactors'),
      webhooks: countDeleted('webhooks'),
      documents: countDeleted('documents'),
      client_keys: countDeleted('client_keys'),
    }
  } finally {
    for (const file of files) file.close()
    for (const key of keys) key.fill(0)
  }
}

function iterateIds(db: Database, what: keyof typeof liveIdQueries, now: number): Iterator<string> {
  const table = newerTables[what]
  if (table !== undefined && !hasTable(db, table)) return [][Symbol.iterator]()
  return db.prepare(liveIdQueries[what]).pluck().iterate(now) as Iterator<string>
}

function hasTable(db: Database, table: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
}

/** Counts the sorted ids of `before` that are not in `after`. Holds only one id of each in memory. */
function countMissing(before: Iterator<string>, after: Iterator<string>): number {
  let count = 0
  let present = after.next()
  for (let id = before.next(); !id.done; id = before.next()) {
    while (!present.done && isLessByBytes(present.value, id.value)) present = after.next()
    if (present.done || present.value !== id.value) count++
  }
  after.return?.()
  return count
}

/**
 * Compares like SQLite's BINARY collation, which orders characters beyond the Basic Multilingual Plane differently
 * from JavaScript.
 */
function isLessByBytes(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

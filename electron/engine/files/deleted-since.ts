import { databaseKey } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { openReadOnly } from '../db/open.ts'

/** What an earlier state of a vault holds that the present one does not. */
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

type File = { readonly database: string; readonly master: Buffer }

/** Ids in order, without what has expired by `now` and would be deleted at once. */
const alive = {
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
const newer: Partial<Record<keyof typeof alive, string>> = {
  proxies: 'proxy',
  reactors: 'reactor',
  webhooks: 'webhook',
  documents: 'document',
  client_keys: 'client_key',
}

/**
 * Counts what `then` holds and `today` no longer does. Reads both files, which may be open elsewhere. Throws
 * `damaged`, `unavailable`.
 */
export function deletedSince({ then, today, now }: { then: File; today: File; now: number }): DeletedSince {
  const keys = [databaseKey(then.master), databaseKey(today.master)] as const
  const files: Database[] = []
  try {
    const before = openReadOnly(then.database, keys[0])
    files.push(before)
    const after = openReadOnly(today.database, keys[1])
    files.push(after)
    const count = (what: keyof typeof alive) => missing(ids(before, what, now), ids(after, what, now))
    return {
      applications: count('applications'),
      keys: count('keys'),
      tokens: count('tokens'),
      proxies: count('proxies'),
      reactors: count('reactors'),
      webhooks: count('webhooks'),
      documents: count('documents'),
      client_keys: count('client_keys'),
    }
  } finally {
    for (const file of files) file.close()
    for (const key of keys) key.fill(0)
  }
}

function ids(db: Database, what: keyof typeof alive, now: number): Iterator<string> {
  const table = newer[what]
  if (table !== undefined && !hasTable(db, table)) return [][Symbol.iterator]()
  return db.prepare(alive[what]).pluck().iterate(now) as Iterator<string>
}

function hasTable(db: Database, table: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
}

/** How many of the ordered ids of `before` are not among those of `after`; holds one of each in memory. */
function missing(before: Iterator<string>, after: Iterator<string>): number {
  let count = 0
  let present = after.next()
  for (let id = before.next(); !id.done; id = before.next()) {
    while (!present.done && lessBytes(present.value, id.value)) present = after.next()
    if (present.done || present.value !== id.value) count++
  }
  after.return?.()
  return count
}

/** The order of SQLite's BINARY collation, which is not that of JavaScript's strings beyond the first plane. */
function lessBytes(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

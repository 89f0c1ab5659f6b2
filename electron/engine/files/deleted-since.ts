import { entities } from '../../../shared/entities.ts'
import { mapRestored, type RestoreCounts, type RestoredEntity } from '../../../shared/restore-counts.ts'
import { deriveDatabaseKey } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { openReadOnly } from '../db/open.ts'
import type { VaultDatabaseFile } from './inspect-file.ts'

/** Queries for sorted ids, without entities that expired by `@now`: a restored vault would delete them. */
function selectLiveIds(entity: RestoredEntity): string {
  const unexpired = 'expires_at IS NULL OR expires_at > @now'
  if (entity === 'application_key')
    return `SELECT key.id FROM application_key AS key JOIN application ON application.id = key.application_id
      WHERE ${unexpired} ORDER BY key.id`
  // A deleted enrollment stays, with its state.
  if (entity === 'enrollment')
    return "SELECT id FROM enrollment WHERE state <> 'deleted' AND @now IS NOT NULL ORDER BY id"
  return `SELECT id FROM ${entity} WHERE ${entities[entity].expires ? unexpired : '@now IS NOT NULL'} ORDER BY id`
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
}): RestoreCounts {
  const keys = [deriveDatabaseKey(then.master), deriveDatabaseKey(today.master)] as const
  const files: Database[] = []
  try {
    const before = openReadOnly(then.database, keys[0])
    files.push(before)
    const after = openReadOnly(today.database, keys[1])
    files.push(after)
    return mapRestored((entity) =>
      countMissing(iterateIds(before, entity, now), iterateIds(after, entity, now)),
    )
  } finally {
    for (const file of files) file.close()
    for (const key of keys) key.fill(0)
  }
}

function iterateIds(db: Database, entity: RestoredEntity, now: number): Iterator<string> {
  // Files of older versions do not have every table.
  if (!hasTable(db, entity)) return [][Symbol.iterator]()
  return db.prepare<{ now: number }, string>(selectLiveIds(entity)).pluck().iterate({ now })
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

/** Compares like SQLite's BINARY collation, which differs from JavaScript beyond the Basic Multilingual Plane. */
function isLessByBytes(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

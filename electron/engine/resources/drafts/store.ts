import type { DraftKind } from '../../../../shared/schemas/draft.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

/** What is stored as a draft: those of the window, and what was made for a checkout. */
type StoredKind = DraftKind | 'checkout'

/** A draft as stored. */
export type DraftRow = {
  id: string
  kind: StoredKind
  created_at: number
  /** The sealed content. */
  content: Buffer
}

/** Returns the drafts of a kind, newest first. */
export function listDrafts(db: Database, kind: StoredKind): DraftRow[] {
  const query = 'SELECT id, kind, created_at, content FROM draft WHERE kind = ? ORDER BY seq DESC'
  return sql<DraftRow>(db, query).all(kind)
}

/** Returns the number of drafts of a kind. */
export function countDrafts(db: Database, kind: StoredKind): number {
  return Number(sql(db, 'SELECT count(*) FROM draft WHERE kind = ?').pluck().get(kind))
}

/** Stores a new draft. */
export function insertDraft(db: Database, row: DraftRow): void {
  const statement =
    'INSERT INTO draft (id, kind, created_at, content) VALUES (@id, @kind, @created_at, @content)'
  sql(db, statement).run(row)
  recordChange(db, 'draft', 'created', row.id)
}

/** Replaces the content of a draft. Returns whether it exists. */
export function updateDraft(db: Database, { id, kind, content }: Omit<DraftRow, 'created_at'>): boolean {
  const { changes } = sql(db, 'UPDATE draft SET content = ? WHERE id = ? AND kind = ?').run(content, id, kind)
  if (changes > 0) recordChange(db, 'draft', 'updated', id)
  return changes > 0
}

/** Deletes a draft. Returns whether it existed. */
export function deleteDraft(db: Database, id: string): boolean {
  const { changes } = sql(db, 'DELETE FROM draft WHERE id = ?').run(id)
  if (changes > 0) recordChange(db, 'draft', 'deleted', id)
  return changes > 0
}

/** Deletes all but the newest drafts of a kind, and returns how many it deleted. */
export function deleteOldDrafts(db: Database, kind: DraftKind, keepCount: number): number {
  const statement = `DELETE FROM draft WHERE kind = ? AND seq <= (SELECT seq FROM draft WHERE kind = ? ORDER BY seq DESC
     LIMIT 1 OFFSET ?) RETURNING id`
  const old = sql<{ id: string }>(db, statement).all(kind, kind, keepCount)
  for (const { id } of old) recordChange(db, 'draft', 'deleted', id)
  return old.length
}

import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { selectRow, sql } from '../../db/statement.ts'

export type DocumentRow = {
  id: string
  /** A JSON object of strings. */
  metadata: string
  content_type: string
  bytes: number
  created_by: string | null
  created_at: number
}

const columns = 'id, metadata, content_type, bytes, created_by, created_at'

/** Stores a document whose chunks are complete (rule D-01). */
export function insertDocument(db: Database, row: DocumentRow): void {
  const statement = `INSERT INTO document (${columns}) VALUES (@id, @metadata, @content_type, @bytes, @created_by, @created_at)`
  sql(db, statement).run(row)
  sql(db, 'DELETE FROM loose_document WHERE id = ?').run(row.id)
  recordChange(db, 'document', 'created', row.id)
}

/** Returns a document by its id, or undefined. */
export function findDocument(db: Database, id: string): DocumentRow | undefined {
  return sql<DocumentRow>(db, `SELECT ${columns} FROM document WHERE id = ?`).get(id)
}

/** Returns up to `limit` documents after a `seq`, oldest first. */
export function listDocumentsAfter(
  db: Database,
  after: number,
  limit: number,
): (DocumentRow & { readonly seq: number })[] {
  const query = `SELECT seq, ${columns} FROM document WHERE seq > ? ORDER BY seq LIMIT ?`
  return sql<DocumentRow & { readonly seq: number }>(db, query).all(after, limit)
}

/** Returns up to `limit` documents before a `seq`, newest first. */
export function listDocumentsBefore(
  db: Database,
  before: number,
  limit: number,
): (DocumentRow & { readonly seq: number })[] {
  const query = `SELECT seq, ${columns} FROM document WHERE seq < ? ORDER BY seq DESC LIMIT ?`
  return sql<DocumentRow & { readonly seq: number }>(db, query).all(before, limit)
}

/** Counts the newest `max` documents and their bytes. */
export function countDocuments(db: Database, max: number): { documents: number; bytes: number } {
  const query = `SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT bytes FROM document ORDER BY seq DESC LIMIT ?)`
  return selectRow<{ documents: number; bytes: number }>(db, query, max)
}

/** Deletes a document. Its chunks become loose and are removed later, because that can take too long for a call. */
export function deleteDocument(db: Database, id: string): void {
  sql(db, 'DELETE FROM document WHERE id = ?').run(id)
  addLooseDocument(db, id)
  recordChange(db, 'document', 'deleted', id)
}

/** Marks an id as loose: its chunks belong to no document. Throws SQLite's constraint error if it is already marked. */
export function addLooseDocument(db: Database, id: string): void {
  sql(db, 'INSERT INTO loose_document (id) VALUES (?)').run(id)
}

/** Whether the chunks of an id belong to no document. */
export function isLoose(db: Database, id: string): boolean {
  return sql(db, 'SELECT 1 FROM loose_document WHERE id = ?').get(id) !== undefined
}

/** Returns the ids whose chunks belong to no document. */
export function listLooseIds(db: Database): string[] {
  return sql<string>(db, 'SELECT id FROM loose_document ORDER BY id').pluck().all()
}

/** Returns the number of chunks stored for an id. */
export function countChunks(db: Database, document_id: string): number {
  return Number(sql(db, 'SELECT count(*) FROM document_chunk WHERE document_id = ?').pluck().get(document_id))
}

/** Stores a sealed chunk. */
export function insertChunk(
  db: Database,
  row: { document_id: string; number: number; key_version: number; data: Buffer },
): void {
  const statement = `INSERT INTO document_chunk (document_id, number, key_version, data)
     VALUES (@document_id, @number, @key_version, @data)`
  sql(db, statement).run(row)
}

/** Returns a sealed chunk, or undefined. */
export function findChunk(db: Database, document_id: string, number: number): Buffer | undefined {
  return sql<Buffer>(db, 'SELECT data FROM document_chunk WHERE document_id = ? AND number = ?')
    .pluck()
    .get(document_id, number)
}

/** Removes the last chunk of a loose id, or its mark if it has no chunks left. Returns whether it removed a chunk. */
export function removeLastLooseChunk(db: Database, id: string): boolean {
  const statement = `DELETE FROM document_chunk WHERE seq =
     (SELECT seq FROM document_chunk WHERE document_id = ? ORDER BY number DESC LIMIT 1)`
  const { changes } = sql(db, statement).run(id)
  if (changes === 0) sql(db, 'DELETE FROM loose_document WHERE id = ?').run(id)
  return changes > 0
}

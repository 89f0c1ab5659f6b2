import { CHUNK_BYTES } from '../../../shared/schemas/document.ts'
import type { Database } from '../db/open.ts'

/** Counts the documents that have all their chunks (`whole`) and those that lack some (`broken`) (rule D-02). */
export function checkDocuments(db: Database): { whole: number; broken: number } {
  // A file of an older version has no table of documents.
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'document'").get()) return { whole: 0, broken: 0 }
  const count = db.prepare(`
    SELECT count(*) AS known, coalesce(sum(stored = max(1, (bytes + ${CHUNK_BYTES - 1}) / ${CHUNK_BYTES}) AND last = stored - 1), 0) AS whole
    FROM (SELECT bytes,
      (SELECT count(*) FROM document_chunk WHERE document_id = document.id) AS stored,
      (SELECT max(number) FROM document_chunk WHERE document_id = document.id) AS last
      FROM document)`)
  const { known, whole } = count.get() as { known: number; whole: number }
  return { whole, broken: known - whole }
}

import type { AccountUpdaterJobStatus } from '../../../../../shared/schemas/account-updater.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import { defineTable } from '../../crud.ts'

export type JobRow = {
  id: string
  status: AccountUpdaterJobStatus
  upload_key: string
  download_key: string
  /** Null for the tenant's setting. */
  deduplicate: 0 | 1 | null
  merchant_id: string | null
  result_version: string
  /** The columns of the uploaded file as JSON; null until its first line is read. */
  columns: string | null
  /** How many parts the uploaded file has. */
  parts: number
  /** How many rows were processed. */
  requests: number
  /** How many rows had each result, as JSON. */
  results: string
  error: string | null
  created_by: string | null
  created_at: number
  expires_at: number
  /** When rows were last processed; null before the upload. */
  active_at: number | null
}

type ListedJob = JobRow & { readonly seq: number }

const editable = 'status, columns, parts, requests, results, error, expires_at, active_at'
const columns = `id, upload_key, download_key, deduplicate, merchant_id, result_version, created_by, created_at, ${editable}`

/** Stores and updates jobs of the account updater (rule Z-03). */
export const { insertRow: insertJob, updateRow: updateJob } = defineTable<JobRow>(
  'account_updater_job',
  columns,
  editable,
)

/** Returns a job that has not expired, by its id or by the random part of one of its URLs, or undefined. */
export function findJob(
  db: Database,
  key: string,
  now: number,
  by: 'id' | 'upload_key' | 'download_key' = 'id',
): JobRow | undefined {
  const query = `SELECT ${columns} FROM account_updater_job WHERE ${by} = ? AND expires_at > ?`
  return sql<JobRow>(db, query).get(key, now)
}

/** Lists up to `limit` jobs that have not expired, newest first. If `before` is set, lists only row numbers below it. */
export function listJobs(db: Database, now: number, limit: number, before: number | null): ListedJob[] {
  const query = `SELECT seq, ${columns} FROM account_updater_job
    WHERE expires_at > @now AND (@before IS NULL OR seq < @before) ORDER BY seq DESC LIMIT @limit`
  return sql<ListedJob>(db, query).all({ now, before, limit })
}

/** Lists the ids of jobs in progress, oldest first. */
export function listProcessing(db: Database, now: number): string[] {
  const query = `SELECT id FROM account_updater_job
    WHERE status = 'processing' AND expires_at > ? ORDER BY seq LIMIT 1000`
  return sql<string>(db, query).pluck().all(now)
}

/** How long a job in progress of an open vault may be without activity. */
const STALLED_MS = 10 * 60 * 1000
const stalled = 'Not every row could be processed. Create another job.'

/** Fails the jobs whose rows nobody processes, although the vault is open since `opened_at`. Returns them. */
export function failStalledJobs(db: Database, now: number, opened_at: number): JobRow[] {
  if (opened_at > now - STALLED_MS) return []
  const query = `SELECT ${columns} FROM account_updater_job WHERE status = 'processing' AND active_at < ? LIMIT 10`
  return sql<JobRow>(db, query)
    .all(now - STALLED_MS)
    .map((job) => {
      const row = { ...job, status: 'failed', error: stalled } as const
      updateJob(db, row)
      return row
    })
}

type JobPart = { readonly number: number; readonly lines: string }
type PartKind = 'upload' | 'result'

/** Stores a part of a file, in place of any with the same number. */
export function storePart(db: Database, job_id: string, kind: PartKind, { number, lines }: JobPart): void {
  const statement =
    'INSERT OR REPLACE INTO account_updater_part (job_id, kind, number, lines) VALUES (?, ?, ?, ?)'
  sql(db, statement).run(job_id, kind, number, lines)
}

/** Returns the first part of a file from this number on, or undefined. */
export function findPart(db: Database, job_id: string, kind: PartKind, from: number): JobPart | undefined {
  const query = `SELECT number, lines FROM account_updater_part
    WHERE job_id = ? AND kind = ? AND number >= ? ORDER BY number LIMIT 1`
  return sql<JobPart>(db, query).get(job_id, kind, from)
}

export function deletePart(db: Database, job_id: string, kind: PartKind, number: number): void {
  const statement = 'DELETE FROM account_updater_part WHERE job_id = ? AND kind = ? AND number = ?'
  sql(db, statement).run(job_id, kind, number)
}

/** Deletes up to `limit` parts of expired jobs. Returns how many it deleted. */
export function deleteExpiredParts(db: Database, now: number, limit: number): number {
  const statement = `DELETE FROM account_updater_part WHERE rowid IN (SELECT part.rowid
    FROM account_updater_job AS job JOIN account_updater_part AS part ON part.job_id = job.id
    WHERE job.expires_at <= ? LIMIT ?)`
  return sql(db, statement).run(now, limit).changes
}

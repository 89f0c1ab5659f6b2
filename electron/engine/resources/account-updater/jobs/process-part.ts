import { CofferError } from '../../../../../shared/errors.ts'
import type { Context } from '../../../pipeline/context.ts'
import { toJobEventData } from './present.ts'
import { processRow, splitLine } from './rows.ts'
import { deletePart, findPart, type JobRow, storePart, updateJob } from './store.ts'

/** How long a call may process rows. A row takes a few milliseconds at most (rule R-03). */
const STEP_MS = 15

/** Processes rows of a job for a moment, with the rights of the application that created it. Returns the changed job. */
export function processPart(context: Context, job: JobRow): JobRow {
  const { db, now } = context
  const part = findPart(db, job.id, 'upload', 0)
  if (!part || part.number >= job.parts) return endJob(context, job, null)
  const acting = findActing(context, job)
  if (!acting) return endJob(context, job, 'The application that created the job no longer exists.')
  const lines = part.lines.split('\n')
  const columns: string[] = job.columns ? JSON.parse(job.columns) : splitLine(lines.shift() ?? '')
  if (!columns.includes('token')) return endJob(context, job, 'The first line must name the column token.')
  const { requests, results, written } = processLines(acting, job, columns, lines)
  // The number of the last row of a part orders the parts of the results.
  if (written.length > 0) storePart(db, job.id, 'result', { number: requests, lines: written.join('\n') })
  if (lines.length > 0) storePart(db, job.id, 'upload', { number: part.number, lines: lines.join('\n') })
  else deletePart(db, job.id, 'upload', part.number)
  const processed = { requests, columns: JSON.stringify(columns), results: JSON.stringify(results) }
  const row = { ...job, ...processed, active_at: now }
  updateJob(db, row)
  return row
}

/** Processes lines for a moment, and removes them. Returns the counts of the job, and the lines about its cards. */
function processLines(acting: Context, job: JobRow, columns: readonly string[], lines: string[]) {
  const results: Record<string, number> = JSON.parse(job.results)
  const written: string[] = []
  let { requests } = job
  const until = performance.now() + STEP_MS
  while (lines.length > 0 && performance.now() < until) {
    const text = lines.shift() ?? ''
    if (text.trim() === '') continue
    const values = splitLine(text)
    const row = Object.fromEntries(columns.map((column, at) => [column, values[at]]))
    const { result_code, line } = processRow(acting, job, row)
    requests++
    results[result_code] = (results[result_code] ?? 0) + 1
    if (line !== null) written.push(line)
  }
  return { requests, results, written }
}

/** Returns the context in which rows are processed; null if the application of the job no longer exists. */
function findActing(context: Context, { created_by }: JobRow): Context | null {
  if (created_by === null) return context
  try {
    return context.asApplication(created_by)
  } catch (error) {
    if (error instanceof CofferError && error.code === 'not_found') return null
    throw error
  }
}

function endJob(context: Context, job: JobRow, error: string | null): JobRow {
  const status = error === null ? 'completed' : 'failed'
  const row = { ...job, status, error, active_at: context.now } as const
  updateJob(context.db, row)
  context.queueEvent(`account-updater.job.${status}`, () => toJobEventData(row))
  return row
}

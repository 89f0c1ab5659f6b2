import { formatCsvCell, quoteCell } from '../../../shared/csv-cell.ts'
import type { OwnerLog } from '../../../shared/schemas/log.ts'

export type ExportFormat = 'ndjson' | 'csv'

const columns = [
  'created_at',
  'status',
  'method',
  'path',
  'action',
  'actor_type',
  'actor_id',
  'key_hint',
  'agent',
  'entity_type',
  'entity_id',
  'request_bytes',
  'answer_bytes',
  'duration_ms',
  'code',
  'detail',
  'errors',
  'note',
  'trace_id',
  'id',
] as const satisfies readonly (keyof OwnerLog)[]

/** Formats a record as one line of the file, including the line break. */
export function formatExportLine(record: OwnerLog, format: ExportFormat): string {
  if (format === 'ndjson') return `${JSON.stringify(record)}\n`
  return `${columns.map((name) => formatCell(record[name])).join(',')}\r\n`
}

function formatCell(value: OwnerLog[(typeof columns)[number]]): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? formatCsvCell(value) : quoteCell(JSON.stringify(value))
}

/** The first line of the file; empty for JSON lines. */
export function formatExportHeader(format: ExportFormat): string {
  return format === 'csv' ? `${columns.join(',')}\r\n` : ''
}

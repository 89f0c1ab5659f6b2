import { csvCell, quotedCell } from '../../../shared/csv-cell.ts'
import type { Json } from '../../../shared/json.ts'
import type { ExportedToken } from '../../../shared/schemas/token-export.ts'

const columns = [
  'id',
  'type',
  'data',
  'mask',
  'containers',
  'metadata',
  'search_indexes',
  'fingerprint_expression',
  'expires_at',
] as const satisfies readonly (keyof ExportedToken)[]

/** The header of a CSV export. */
export const csvHeader = `${columns.join(',')}\r\n`

/** A token as a line for a spreadsheet: text as it is, everything else as JSON. */
export function csvLine(token: ExportedToken): string {
  return `${columns.map((name) => cellOf(token[name])).join(',')}\r\n`
}

function cellOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? csvCell(value) : quotedCell(JSON.stringify(value))
}

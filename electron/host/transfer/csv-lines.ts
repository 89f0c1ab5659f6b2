import { formatCsvCell, quoteCell } from '../../../shared/csv-cell.ts'
import { CofferError } from '../../../shared/errors.ts'
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

export const csvHeader = `${columns.join(',')}\r\n`

/**
 * Formats a token as a line for a spreadsheet: text unchanged, everything else as JSON. Throws `unprocessable` for
 * text that is not valid Unicode. JSON can represent such text with escapes.
 */
export function formatCsvLine(token: ExportedToken): string {
  return `${columns.map((name) => formatCell(token[name], name)).join(',')}\r\n`
}

function formatCell(value: Json | undefined, name: string): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return quoteCell(JSON.stringify(value))
  if (value.isWellFormed()) return formatCsvCell(value)
  throw new CofferError(
    'unprocessable',
    `The ${name} of a token has half a surrogate pair, which CSV cannot hold. Export as NDJSON.`,
  )
}

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
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // SECURITY: a spreadsheet must read it as text, not run it as a formula.
  const inert = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

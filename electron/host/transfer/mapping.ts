import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { Row } from './source-records.ts'

/** The token a mapping produces from a record; not yet validated. */
export function mapped(mapping: ImportMapping, row: Row): Record<string, Json> {
  const token = filled(mapping as Json, row)
  return isObject(token) ? token : {}
}

/** The columns a mapping refers to. */
function columnsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return columnOf(value) ?? []
  if (Array.isArray(value)) return value.flatMap(columnsOf)
  return isObject(value) ? Object.values(value).flatMap(columnsOf) : []
}

/** Throws `invalid` where a mapping refers to columns that a file lacks, or has twice. */
export function checkColumns(mapping: ImportMapping, columns: readonly string[]): void {
  const asked = columnsOf(mapping as Json)
  const twice = asked.find((name) => columns.indexOf(name) !== columns.lastIndexOf(name))
  if (twice !== undefined) {
    throw new CofferError('invalid', `The first line of the file names the column ${twice} twice.`)
  }
  const missing = asked.filter((name) => !columns.includes(name))
  if (missing.length === 0) return
  if (columns.length === 1 && columns[0]?.includes('|')) {
    throw new CofferError(
      'invalid',
      'The fields of the file must be separated by commas, semicolons or tabs.',
    )
  }
  // SECURITY: never repeat the file's first line: it may be data if the header is missing.
  throw new CofferError('invalid', `The first line of the file names no column ${missing.join(', ')}.`)
}

function columnOf(text: string): [string] | undefined {
  return text.startsWith('$') && !text.startsWith('$$') && text.length > 1 ? [text.slice(1)] : undefined
}

function filled(value: Json | undefined, row: Row): Json | undefined {
  if (typeof value === 'string') {
    const column = columnOf(value)
    if (column) return row(column[0])
    return value.startsWith('$$') ? value.slice(1) : value
  }
  if (Array.isArray(value)) {
    return value.map((each) => filled(each, row)).filter((each) => each !== undefined)
  }
  if (!isObject(value)) return value
  const members: Record<string, Json> = {}
  for (const [name, each] of Object.entries(value)) {
    const given = filled(each, row)
    if (given !== undefined) members[name] = given
  }
  return members
}

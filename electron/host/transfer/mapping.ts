import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { Row } from './source-records.ts'

type Fill = (row: Row) => Json | undefined

/** What makes the token of a record, as a mapping says; not yet validated. */
export function mapperOf(mapping: ImportMapping): (row: Row) => Record<string, Json> {
  const fill = fillOf(mapping as Json)
  return (row) => {
    const token = fill(row)
    return isObject(token) ? token : {}
  }
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

/** How the value of a mapping is filled from a record; read once, because a file has many records. */
function fillOf(value: Json | undefined): Fill {
  if (typeof value === 'string') {
    const column = columnOf(value)
    if (column) return (row) => row(column[0])
    const text = value.startsWith('$$') ? value.slice(1) : value
    return () => text
  }
  if (Array.isArray(value)) {
    const fills = value.map(fillOf)
    return (row) => fills.map((fill) => fill(row)).filter((each) => each !== undefined)
  }
  if (!isObject(value)) return () => value
  const fills = Object.entries(value).map(([name, each]) => [name, fillOf(each)] as const)
  return (row) => {
    const members: Record<string, Json> = {}
    for (const [name, fill] of fills) {
      const given = fill(row)
      if (given !== undefined) members[name] = given
    }
    return members
  }
}

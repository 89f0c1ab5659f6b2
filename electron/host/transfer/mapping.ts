import { convert, expectationOf, mappedColumn } from '../../../shared/conversions.ts'
import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import { masked } from '../../engine/door/recorded-id.ts'
import type { Row } from './source-records.ts'

/** Adds a column whose value cannot be converted, and what it must be. */
type Refuse = (column: string, expectation: string) => void
type Fill = (row: Row, refuse: Refuse) => Json | undefined

/** The token that a record becomes, not yet validated; or why it becomes none, as a sentence without values. */
export type Mapped = { readonly token: Record<string, Json> } | { readonly problem: string }

/**
 * What makes the token of a record, as a mapping says. Where the record `isText`, as a row of CSV is, month and year of
 * a card become numbers, as programs store them.
 */
export function mapperOf(mapping: ImportMapping): (row: Row, isText: boolean) => Mapped {
  const fill = fillOf(mapping as Json)
  const partsOfCard = (['month', 'year'] as const).filter((part) => {
    const text = isObject(mapping.data) ? mapping.data[`expiration_${part}`] : undefined
    const mapped = typeof text === 'string' ? mappedColumn(text) : undefined
    return mapped !== undefined && mapped.conversion === undefined
  })
  return (row, isText) => {
    const problems = new Set<string>()
    const filled = fill(row, (column, expectation) => problems.add(`column ${masked(column)} ${expectation}`))
    if (problems.size > 0) return { problem: [...problems].join('; ') }
    const token = isObject(filled) ? filled : {}
    if (!isText || token.type !== 'card' || !isObject(token.data)) return { token }
    const data = { ...token.data }
    for (const part of partsOfCard) {
      const given = data[`expiration_${part}`]
      // What is no month is refused as such by the vault.
      if (given !== undefined) data[`expiration_${part}`] = convert(given, part) ?? given
    }
    return { token: { ...token, data } }
  }
}

/** The columns a mapping refers to. */
function columnsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') {
    const mapped = mappedColumn(value)
    return mapped ? [mapped.column] : []
  }
  if (Array.isArray(value)) return value.flatMap(columnsOf)
  return isObject(value) ? Object.values(value).flatMap(columnsOf) : []
}

/** The column that gives the member at a path of a token, such as `data.number`; undefined where none does. */
export function columnAt(mapping: ImportMapping, path: string): string | undefined {
  let value: Json | undefined = mapping as Json
  for (const part of path.split(/[.[\]]+/)) {
    if (isObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined
    else if (Array.isArray(value)) value = value[Number(part)]
  }
  const column = typeof value === 'string' ? mappedColumn(value)?.column : undefined
  return column === undefined ? undefined : masked(column)
}

/** Throws `invalid` where a mapping refers to columns that a file lacks, or has twice. */
export function checkColumns(mapping: ImportMapping, columns: readonly string[]): void {
  const asked = [...new Set(columnsOf(mapping as Json))]
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

/** How the value of a mapping is filled from a record; read once, because a file has many records. */
function fillOf(value: Json | undefined): Fill {
  if (typeof value === 'string') {
    const mapped = mappedColumn(value)
    if (mapped) return columnFill(mapped)
    const text = value.startsWith('$$') ? value.slice(1) : value
    return () => text
  }
  if (Array.isArray(value)) {
    const fills = value.map(fillOf)
    return (row, refuse) => fills.map((fill) => fill(row, refuse)).filter((each) => each !== undefined)
  }
  if (!isObject(value)) return () => value
  const fills = Object.entries(value).map(([name, each]) => [name, fillOf(each)] as const)
  return (row, refuse) => {
    const members: Record<string, Json> = {}
    for (const [name, fill] of fills) {
      const given = fill(row, refuse)
      if (given !== undefined) members[name] = given
    }
    return members
  }
}

function columnFill({ column, conversion }: NonNullable<ReturnType<typeof mappedColumn>>): Fill {
  if (conversion === undefined) return (row) => row(column)
  return (row, refuse) => {
    const given = row(column)
    if (given === undefined || given === null) return given
    const made = convert(given, conversion)
    if (made === undefined) refuse(column, expectationOf(conversion))
    return made
  }
}

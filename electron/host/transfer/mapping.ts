import { convertValue, describeExpectation, parseMappedColumn } from '../../../shared/conversions.ts'
import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import { maskText } from '../../engine/index.ts'
import type { RowReader } from './source-records.ts'

/** Rejects a column whose value cannot be converted, with the expected form. */
type RejectColumn = (column: string, expectation: string) => void
type Fill = (row: RowReader, reject: RejectColumn) => Json | undefined

/** The token for a record, not yet validated. If there is none, a sentence that says why, without repeating a value. */
export type Mapped = { readonly token: Record<string, Json> } | { readonly problem: string }

/**
 * Creates the function that makes a record's token according to a mapping. For a record with `isText`, such as a CSV
 * row, the month and year of a card are converted to numbers, because programs store them as numbers.
 */
export function createMapper(mapping: ImportMapping): (row: RowReader, isText: boolean) => Mapped {
  const fill = createFill(mapping as Json)
  const cardParts = (['month', 'year'] as const).filter((part) => {
    const text = isObject(mapping.data) ? mapping.data[`expiration_${part}`] : undefined
    const mapped = typeof text === 'string' ? parseMappedColumn(text) : undefined
    return mapped !== undefined && mapped.conversion === undefined
  })
  return (row, isText) => {
    const problems = new Set<string>()
    const filled = fill(row, (column, expectation) =>
      problems.add(`column ${maskText(column)} ${expectation}`),
    )
    if (problems.size > 0) return { problem: [...problems].join('; ') }
    const token = isObject(filled) ? filled : {}
    if (!isText || token.type !== 'card' || !isObject(token.data)) return { token }
    const data = { ...token.data }
    for (const part of cardParts) {
      const value = data[`expiration_${part}`]
      // An invalid month is passed on: the vault rejects it.
      if (value !== undefined) data[`expiration_${part}`] = convertValue(value, part) ?? value
    }
    return { token: { ...token, data } }
  }
}

function listColumns(value: Json | undefined): string[] {
  if (typeof value === 'string') {
    const mapped = parseMappedColumn(value)
    return mapped ? [mapped.column] : []
  }
  if (Array.isArray(value)) return value.flatMap(listColumns)
  return isObject(value) ? Object.values(value).flatMap(listColumns) : []
}

/** Returns the column that supplies the member at a path of a token, such as `data.number`. Undefined if none does. */
export function findColumn(mapping: ImportMapping, path: string): string | undefined {
  let value: Json | undefined = mapping as Json
  for (const part of path.split(/[.[\]]+/)) {
    if (isObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined
    else if (Array.isArray(value)) value = value[Number(part)]
  }
  const column = typeof value === 'string' ? parseMappedColumn(value)?.column : undefined
  return column === undefined ? undefined : maskText(column)
}

/** Throws `invalid` if a mapping refers to columns that a file lacks or has twice. */
export function assertColumns(mapping: ImportMapping, columns: readonly string[]): void {
  const requested = [...new Set(listColumns(mapping as Json))]
  const twice = requested.find((name) => columns.indexOf(name) !== columns.lastIndexOf(name))
  if (twice !== undefined) {
    throw new CofferError('invalid', `The first line of the file names the column ${twice} twice.`)
  }
  const missing = requested.filter((name) => !columns.includes(name))
  if (missing.length === 0) return
  if (columns.length === 1 && columns[0]?.includes('|')) {
    throw new CofferError(
      'invalid',
      'The fields of the file must be separated by commas, semicolons or tabs.',
    )
  }
  // SECURITY: never repeat the file's first line: without a header, it may be data.
  throw new CofferError('invalid', `The first line of the file has no column ${missing.join(', ')}.`)
}

/**
 * Creates the function that fills a mapping's value from a record. The mapping is parsed once, because a file has
 * many records.
 */
function createFill(value: Json | undefined): Fill {
  if (typeof value === 'string') {
    const mapped = parseMappedColumn(value)
    if (mapped) return createColumnFill(mapped)
    const text = value.startsWith('$$') ? value.slice(1) : value
    return () => text
  }
  if (Array.isArray(value)) {
    const fills = value.map(createFill)
    return (row, reject) => fills.map((fill) => fill(row, reject)).filter((each) => each !== undefined)
  }
  if (!isObject(value)) return () => value
  const fills = Object.entries(value).map(([name, each]) => [name, createFill(each)] as const)
  return (row, reject) => {
    const members: Record<string, Json> = {}
    for (const [name, fill] of fills) {
      const filled = fill(row, reject)
      if (filled !== undefined) members[name] = filled
    }
    return members
  }
}

function createColumnFill({ column, conversion }: NonNullable<ReturnType<typeof parseMappedColumn>>): Fill {
  if (conversion === undefined) return (row) => row(column)
  return (row, reject) => {
    const cell = row(column)
    if (cell === undefined || cell === null) return cell
    const converted = convertValue(cell, conversion)
    if (converted === undefined) reject(column, describeExpectation(conversion))
    return converted
  }
}

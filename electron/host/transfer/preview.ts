import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportPreview, TransferFormat } from '../../../shared/schemas/transfer.ts'
import { parseRecords, type SourceRecord } from './source-records.ts'

type PreviewRecord = Extract<SourceRecord, { row: unknown }>

const MAX_PREVIEW_RECORDS = 5
const MAX_COLUMNS = 200

/**
 * Returns the columns and the first records from the first part of a file. Throws `invalid` if no record can be read.
 */
export async function createPreview(text: string, format: TransferFormat): Promise<ImportPreview> {
  let columns: readonly string[] = []
  const records: PreviewRecord[] = []
  const name = 'The file'
  for await (const batch of parseRecords([Buffer.from(text)], format, name, (each) => {
    columns = [...new Set(each)]
  })) {
    records.push(...batch.records.filter((record) => 'row' in record))
  }
  const first = records.slice(0, MAX_PREVIEW_RECORDS)
  if (first.length === 0) {
    const lines =
      format === 'csv' ? 'a line of column names, followed by lines of values' : 'a JSON object on each line'
    throw new CofferError('invalid', `The file has no readable record. It needs ${lines}.`)
  }
  if (format === 'ndjson') columns = [...new Set(first.flatMap(({ json }) => listLeafPaths(json, '')))]
  const visibleColumns = columns.slice(0, MAX_COLUMNS)
  return {
    columns: visibleColumns,
    rows: first.map(({ row }) => visibleColumns.map((column) => formatPreviewCell(row(column)))),
    tokens: format === 'ndjson' && first.every(({ json }) => isToken(json)),
  }
}

function listLeafPaths(value: Json, path: string): string[] {
  if (!isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    listLeafPaths(each, path === '' ? name : `${path}.${name}`),
  )
}

function formatPreviewCell(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isToken(json: Json): boolean {
  return isObject(json) && typeof json.type === 'string' && 'data' in json
}

import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { ImportPreview, TransferFormat } from '../../../shared/schemas/transfer.ts'
import { recordsOf, type SourceRecord } from './source-records.ts'

type Readable = Extract<SourceRecord, { row: unknown }>

const SHOWN = 5
const MOST_COLUMNS = 200

/** The columns and the first records of the beginning of a file. Throws `invalid` where no record can be read. */
export async function previewOf(text: string, format: TransferFormat): Promise<ImportPreview> {
  let columns: readonly string[] = []
  const records: Readable[] = []
  const name = 'The file'
  for await (const batch of recordsOf([Buffer.from(text)], format, name, (each) => {
    columns = [...new Set(each)]
  })) {
    records.push(...batch.records.filter((record) => 'row' in record))
  }
  const first = records.slice(0, SHOWN)
  if (first.length === 0) {
    const lines =
      format === 'csv' ? 'a line of names and lines of values below' : 'a JSON object on each line'
    throw new CofferError('invalid', `The file holds no record that can be read. It needs ${lines}.`)
  }
  if (format === 'ndjson') columns = [...new Set(first.flatMap(({ whole }) => leavesOf(whole, '')))]
  const shown = columns.slice(0, MOST_COLUMNS)
  return {
    columns: shown,
    rows: first.map(({ row }) => shown.map((column) => textOf(row(column)))),
    tokens: format === 'ndjson' && first.every(({ whole }) => isToken(whole)),
  }
}

/** The paths of an object's members that are not objects themselves. */
function leavesOf(value: Json, path: string): string[] {
  if (!isObject(value)) return [path]
  return Object.entries(value).flatMap(([name, each]) =>
    leavesOf(each, path === '' ? name : `${path}.${name}`),
  )
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isToken(whole: Json): boolean {
  return isObject(whole) && typeof whole.type === 'string' && 'data' in whole
}

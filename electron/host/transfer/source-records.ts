import { addAbortSignal, type Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { parseJson } from '../../../shared/safe-json.ts'
import type { TransferFormat } from '../../../shared/schemas/transfer.ts'
import {
  detectSeparator,
  findRecordError,
  readCsv,
  type Separator,
  toStorageError,
} from '../../engine/index.ts'

export type Format = TransferFormat

/** Reads a member of a record by name. Undefined if there is none. A dot descends into an object. */
export type RowReader = (name: string) => Json | undefined

/** One record of a file and the line it starts on. SECURITY: the problem never repeats the content of the line. */
export type SourceRecord = { readonly line: number } & (
  | { readonly row: RowReader; readonly json: Json }
  | { readonly problem: string }
)

export type SourceBatch = {
  readonly records: readonly SourceRecord[]
  readonly bytes: number
}

/**
 * The maximum length of a record in characters. If a record seems longer, its quotation mark is treated as unclosed
 * and ignored, so that the rest of the file can still be read.
 */
const MAX_RECORD_LENGTH = 4 * 1024 * 1024
/**
 * Text longer than this without a complete record is parsed again only once its length has doubled, so that the same
 * text is not parsed again for every chunk.
 */
const REREAD_LENGTH = 256 * 1024

/** Returns the format that a file's name implies, or undefined. */
export function detectFormat(file: string): Format | undefined {
  if (/\.[ct]sv$/i.test(file)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : undefined
}

/**
 * Reads the records of a stream in chunks. Stops when `signal` aborts, even while no data arrives. Throws `not_found`,
 * `unavailable`, and `invalid` if the content is not UTF-8.
 */
export async function* readRecords(
  stream: Readable,
  { format, name, signal }: { format: Format; name: string; signal?: AbortSignal | undefined },
  onColumns?: (columns: readonly string[]) => void,
): AsyncGenerator<SourceBatch> {
  if (signal) addAbortSignal(signal, stream)
  try {
    yield* parseRecords(stream as AsyncIterable<Buffer>, format, name, onColumns)
  } catch (error) {
    if (signal?.aborted) return
    if ((error as { code?: unknown }).code === 'ENOENT') {
      throw new CofferError('not_found', `There is no file ${name}.`)
    }
    throw toStorageError(error, name)
  }
}

/**
 * Reads the records from the chunks of a file. `name` is the name of the file in errors. Throws `invalid` if the
 * content is not UTF-8.
 */
export async function* parseRecords(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  format: Format,
  name: string,
  onColumns: (columns: readonly string[]) => void = () => {},
): AsyncGenerator<SourceBatch> {
  const read = format === 'csv' ? createCsvReader(onColumns) : readNdjson
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let line = 1
  let bytes = 0
  /** The length of text in which no complete record was found. */
  let read_length = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    text += decodeChunk(decoder, chunk, name)
    const isTooLong = text.length > 2 * MAX_RECORD_LENGTH
    if (text.length > REREAD_LENGTH && text.length < 2 * read_length && !isTooLong) continue
    const { records, end, lines } = read(text, line, true)
    read_length = end === 0 ? text.length : 0
    // No token is that large, so this cannot be a record.
    if (end === 0 && isTooLong) {
      throw new CofferError(
        'invalid',
        `Line ${line} of ${name} is longer than 8 million characters, so it is not a record.`,
      )
    }
    if (end === 0) continue
    line += lines
    text = text.slice(end)
    yield { records, bytes }
  }
  text += decodeChunk(decoder, undefined, name)
  if (text !== '') yield { records: read(text, line, false).records, bytes }
}

function decodeChunk(decoder: TextDecoder, chunk: Buffer | undefined, name: string): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw new CofferError('invalid', `${name} is not UTF-8. Save it as UTF-8 and try again.`)
  }
}

/**
 * Reads the complete records of text that starts at `line`, and returns the index at which they end, and how many lines
 * that is. `more` says whether further text follows. If not, the text is read to its end.
 */
type RecordReader = (
  text: string,
  line: number,
  more: boolean,
) => { records: SourceRecord[]; end: number; lines: number }

function createCsvReader(onColumns: (columns: readonly string[]) => void): RecordReader {
  let columns: Map<string, number> | undefined
  let separator: Separator | undefined
  let width = 0
  return (text, line, more) => {
    separator ??= detectSeparator(text, more)
    if (!separator) return { records: [], end: 0, lines: 0 }
    const mark = line === 1 && text.startsWith('\uFEFF') ? 1 : 0
    const read = readLines(text.slice(mark), separator, more)
    const { records, lines } = read
    const end = read.end === 0 ? 0 : mark + read.end
    if (!columns) {
      const header = records.shift()
      // The text has only empty lines so far, so the header is still to come.
      if (!header) return { records: [], end, lines }
      const names = (header.fields ?? []).map((name) => name.trim())
      columns = new Map(names.map((name, at) => [name, at]))
      width = names.length
      onColumns(names)
    }
    const columnIndexes = columns
    const rows = records.map(({ line: at, fields }): SourceRecord => {
      const problem = findRecordError(fields, width)
      if (problem !== undefined) return { line: line + at - 1, problem }
      const readCell: RowReader = (name) => {
        const value = fields?.[columnIndexes.get(name) ?? -1]
        // An empty cell counts as no value.
        return value === '' ? undefined : value
      }
      return { line: line + at - 1, row: readCell, json: null }
    })
    return { records: rows, end, lines }
  }
}

/** Reads complete records. In a text that is too long for one record, a quote may be missing: it is read by lines. */
function readLines(text: string, separator: Separator, more: boolean): ReturnType<typeof readCsv> {
  const read = readCsv(text, separator, more)
  if (read.end !== 0 || text.length <= MAX_RECORD_LENGTH) return read
  return readCsv(text.slice(0, text.lastIndexOf('\n') + 1), separator, false)
}

function readNdjson(text: string, line: number, more: boolean): ReturnType<RecordReader> {
  const end = more ? text.lastIndexOf('\n') + 1 : text.length
  const lines = text.slice(0, end).split('\n')
  return {
    records: lines.flatMap((each, at) => toSourceRecords(each, line + at)),
    end,
    lines: lines.length - 1,
  }
}

function toSourceRecords(text: string, line: number): SourceRecord[] {
  if (text.trim() === '') return []
  let json: Json
  try {
    json = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (error) {
    return [{ line, problem: describeUnreadable(error) }]
  }
  if (!isObject(json)) return [{ line, problem: 'This is not a JSON object.' }]
  return [{ line, row: (name) => getField(json, name), json }]
}

function describeUnreadable(error: unknown): string {
  if (!(error instanceof CofferError)) throw error
  if (error.message === 'body must be valid JSON') return 'This is not valid JSON.'
  return error.message.replace(/^body (.*)$/, 'This $1.')
}

function getField(json: Json, name: string): Json | undefined {
  let value: Json | undefined = json
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

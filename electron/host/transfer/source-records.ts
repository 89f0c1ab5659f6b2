import { addAbortSignal, type Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { parseJson } from '../../../shared/safe-json.ts'
import type { TransferFormat } from '../../../shared/schemas/transfer.ts'
import { problemOf, readCsv, type Separator, separatorOf } from '../../engine/csv.ts'
import { storageError } from '../../engine/db/storage-error.ts'

export type Format = TransferFormat

/** A member of a record by name, or undefined; a dot descends into an object. */
export type Row = (name: string) => Json | undefined

/** One record of a file and the line it starts on. SECURITY: the problem never repeats the content of the line. */
export type SourceRecord = { readonly line: number } & (
  | { readonly row: Row; readonly whole: Json }
  | { readonly problem: string }
)

export type Batch = {
  readonly records: readonly SourceRecord[]
  /** How many bytes of the file have been read. */
  readonly bytes: number
}

/** Beyond this length an unclosed quotation mark is ignored, so that it cannot swallow the whole file. */
const LONGEST_RECORD = 4 * 1024 * 1024
/** A longer text without the end of a record is read again only once it has doubled, so that no byte is read often. */
const READ_AGAIN = 256 * 1024

/** The format implied by a file's name, or undefined. */
export function formatOf(file: string): Format | undefined {
  if (/\.[ct]sv$/i.test(file)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : undefined
}

/**
 * Reads the records of a stream piece by piece until `signal` aborts, even while no data arrives. Throws `invalid`
 * where it is not UTF-8, `not_found`, `unavailable`.
 */
export async function* readRecords(
  stream: Readable,
  { format, name, signal }: { format: Format; name: string; signal?: AbortSignal | undefined },
  onColumns?: (columns: readonly string[]) => void,
): AsyncGenerator<Batch> {
  if (signal) addAbortSignal(signal, stream)
  try {
    yield* recordsOf(stream as AsyncIterable<Buffer>, format, name, onColumns)
  } catch (error) {
    if (signal?.aborted) return
    if ((error as { code?: unknown }).code === 'ENOENT') {
      throw new CofferError('not_found', `There is no file ${name}.`)
    }
    throw storageError(error, name)
  }
}

/**
 * Reads the records from the pieces of a file; `name` is what errors call it. Throws `invalid` where it is not UTF-8.
 */
export async function* recordsOf(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  format: Format,
  name: string,
  onColumns: (columns: readonly string[]) => void = () => {},
): AsyncGenerator<Batch> {
  const read = format === 'csv' ? csvReader(onColumns) : readNdjson
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let line = 1
  let bytes = 0
  /** The length in which no end of a record was found. */
  let read_length = 0
  for await (const piece of pieces) {
    bytes += piece.length
    text += decode(decoder, piece, name)
    const isTooLong = text.length > 2 * LONGEST_RECORD
    if (text.length > READ_AGAIN && text.length < 2 * read_length && !isTooLong) continue
    const { records, end } = read(text, line, true)
    read_length = end === 0 ? text.length : 0
    // No token is that large.
    if (end === 0 && isTooLong) {
      throw new CofferError('invalid', `Line ${line} of ${name} is too long to be a record.`)
    }
    if (end === 0) continue
    line += countLines(text.slice(0, end), format)
    text = text.slice(end)
    yield { records, bytes }
  }
  text += decode(decoder, undefined, name)
  if (text !== '') yield { records: read(text, line, false).records, bytes }
}

function decode(decoder: TextDecoder, piece: Buffer | undefined, name: string): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
  } catch {
    throw new CofferError('invalid', `${name} is not UTF-8. Save it as UTF-8 and try again.`)
  }
}

/** CSV accepts every kind of line end, as its reader does. */
function countLines(text: string, format: Format): number {
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || (code === 13 && format === 'csv' && text.charCodeAt(at + 1) !== 10)) lines++
  }
  return lines
}

/**
 * Reads the complete records of a text that starts at `line`, and returns where they end; all of it unless `more`
 * follows.
 */
type Reader = (text: string, line: number, more: boolean) => { records: SourceRecord[]; end: number }

function csvReader(onColumns: (columns: readonly string[]) => void): Reader {
  let columns: Map<string, number> | undefined
  let separator: Separator | undefined
  let width = 0
  return (text, line, more) => {
    separator ??= separatorOf(text, more)
    if (!separator) return { records: [], end: 0 }
    const mark = line === 1 && text.startsWith('\uFEFF') ? 1 : 0
    let read = readCsv(text.slice(mark), separator, more)
    if (read.end === 0 && text.length > LONGEST_RECORD) {
      read = readCsv(text.slice(mark, text.lastIndexOf('\n') + 1), separator, false)
    }
    const { records } = read
    const end = read.end === 0 ? 0 : mark + read.end
    if (!columns) {
      const header = records.shift()
      // Only empty lines so far.
      if (!header) return { records: [], end }
      const names = (header.fields ?? []).map((name) => name.trim())
      columns = new Map(names.map((name, at) => [name, at]))
      width = names.length
      onColumns(names)
    }
    const known = columns
    const rows = records.map(({ line: at, fields }): SourceRecord => {
      const problem = problemOf(fields, width)
      if (problem !== undefined) return { line: line + at - 1, problem }
      const row: Row = (name) => {
        const value = fields?.[known.get(name) ?? -1]
        // An empty cell counts as no value.
        return value === '' ? undefined : value
      }
      return { line: line + at - 1, row, whole: null }
    })
    return { records: rows, end }
  }
}

function readNdjson(text: string, line: number, more: boolean): ReturnType<Reader> {
  const end = more ? text.lastIndexOf('\n') + 1 : text.length
  const lines = text.slice(0, end).split('\n')
  return { records: lines.flatMap((each, at) => recordOfLine(each, line + at)), end }
}

function recordOfLine(text: string, line: number): SourceRecord[] {
  if (text.trim() === '') return []
  let whole: Json
  try {
    whole = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (error) {
    return [{ line, problem: unreadable(error) }]
  }
  if (!isObject(whole)) return [{ line, problem: 'This is not a JSON object.' }]
  return [{ line, row: (name) => memberOf(whole, name), whole }]
}

/** Why a line cannot be read, as a sentence. */
function unreadable(error: unknown): string {
  if (!(error instanceof CofferError)) throw error
  if (error.message === 'body must be valid JSON') return 'This is not valid JSON.'
  return error.message.replace(/^body (.*)$/, 'This $1.')
}

function memberOf(whole: Json, name: string): Json | undefined {
  let value: Json | undefined = whole
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

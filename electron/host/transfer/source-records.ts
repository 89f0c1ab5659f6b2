import { addAbortSignal, type Readable } from 'node:stream'
import { CofferError } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import type { TransferFormat } from '../../../shared/schemas/transfer.ts'
import { parseCsv, problemOf, type Separator, separatorOf } from '../../engine/csv.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { parseText } from '../../http/body.ts'

export type Format = TransferFormat

/** A member of a record by name, or undefined where it has none; a dot goes into an object. */
export type Row = (name: string) => Json | undefined

/** One record of a file and the line it begins on. SECURITY: the problem never repeats what the line holds. */
export type SourceRecord = { readonly line: number } & (
  | { readonly row: Row; readonly whole: Json }
  | { readonly problem: string }
)

export type Batch = {
  readonly records: readonly SourceRecord[]
  /** How much of the file has been read. */
  readonly bytes: number
}

/** Past this, an open quotation mark is given up, so that one of them does not take in the whole file. */
const LONGEST_RECORD = 4 * 1024 * 1024

/** The format a file's name says, or undefined. */
export function formatOf(file: string): Format | undefined {
  if (/\.[ct]sv$/i.test(file)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : undefined
}

/**
 * Reads the records of a stream piece by piece, until `signal` ends it, also while nothing comes. Throws `invalid` where
 * it is not UTF-8, `not_found`, `unavailable`.
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

/** The records of the pieces of a file; `name` is what an error calls it. Throws `invalid` where it is not UTF-8. */
export async function* recordsOf(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  format: Format,
  name: string,
  onColumns: (columns: readonly string[]) => void = () => {},
): AsyncGenerator<Batch> {
  const parse = format === 'csv' ? csvReader(onColumns) : parseNdjson
  const endOfRecords = format === 'csv' ? csvEnds() : endOfLines
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let line = 1
  let bytes = 0
  const take = (whole: string): Batch => {
    const records = parse(whole, line)
    line += countLines(whole, format)
    return { records, bytes }
  }
  for await (const piece of pieces) {
    bytes += piece.length
    const more = decode(decoder, piece, name)
    text += more
    const end = endOfRecords(text, more)
    // No token is that large, and gathering it would take ever longer.
    if (end === 0 && text.length > 2 * LONGEST_RECORD) {
      throw new CofferError('invalid', `Line ${line} of ${name} is too long to be a record.`)
    }
    if (end === 0) continue
    const whole = text.slice(0, end)
    text = text.slice(end)
    yield take(whole)
  }
  text += decode(decoder, undefined, name)
  if (text !== '') yield take(text)
}

function decode(decoder: TextDecoder, piece: Buffer | undefined, name: string): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
  } catch {
    throw new CofferError('invalid', `${name} is not UTF-8. Save it as UTF-8 and try again.`)
  }
}

/** Where the last line ends that is there as a whole. */
function endOfLines(text: string, more: string): number {
  return more.includes('\n') ? text.lastIndexOf('\n') + 1 : 0
}

/**
 * Where the last record ends that is there as a whole: at a line end outside of quotes. Asked again with what was left
 * and more behind it, it goes over what is new only.
 */
function csvEnds(): (text: string) => number {
  let scanned = 0
  let quoted = false
  return (text) => {
    let end = 0
    for (; scanned < text.length; scanned++) {
      const code = text.charCodeAt(scanned)
      // A carriage return ends a line by itself, unless a line feed follows.
      if (code !== 10 && !quoted && text.charCodeAt(scanned - 1) === 13) end = scanned
      if (code === 34) quoted = !quoted
      else if (code === 10 && !quoted) end = scanned + 1
    }
    if (end === 0 && text.length > LONGEST_RECORD) {
      end = text.lastIndexOf('\n') + 1
      if (end > 0) {
        scanned = end
        quoted = false
      }
    }
    scanned -= end
    return end
  }
}

/** CSV knows line ends of every kind, as its reader does. */
function countLines(text: string, format: Format): number {
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || (code === 13 && format === 'csv' && text.charCodeAt(at + 1) !== 10)) lines++
  }
  return lines
}

function csvReader(onColumns: (columns: readonly string[]) => void) {
  let columns: Map<string, number> | undefined
  let separator: Separator | undefined
  let width = 0
  return (text: string, line: number): SourceRecord[] => {
    // The reader takes a byte order mark for one; where the file does not begin, it is text.
    const marked = line > 1 && text.startsWith('\uFEFF') ? `\uFEFF${text}` : text
    const here = separator ?? separatorOf(marked)
    const records = parseCsv(marked, here)
    if (!columns) {
      const header = records.shift()
      // Nothing but empty lines yet.
      if (!header) return []
      const names = (header.fields ?? []).map((name) => name.trim())
      columns = new Map(names.map((name, at) => [name, at]))
      separator = here
      width = names.length
      onColumns(names)
    }
    const known = columns
    return records.map(({ line: at, fields }): SourceRecord => {
      const problem = problemOf(fields, width)
      if (problem !== undefined) return { line: line + at - 1, problem }
      const row: Row = (name) => {
        const value = fields?.[known.get(name) ?? -1]
        // An empty cell is no value.
        return value === '' ? undefined : value
      }
      return { line: line + at - 1, row, whole: null }
    })
  }
}

function parseNdjson(text: string, line: number): SourceRecord[] {
  return text.split('\n').flatMap((each, at): SourceRecord[] => {
    if (each.trim() === '') return []
    const here = line + at
    let whole: Json
    try {
      whole = parseText(each.charCodeAt(0) === 0xfeff ? each.slice(1) : each)
    } catch (error) {
      return [{ line: here, problem: unreadable(error) }]
    }
    if (!isObject(whole)) return [{ line: here, problem: 'This is not a JSON object.' }]
    return [{ line: here, row: (name) => memberOf(whole, name), whole }]
  })
}

/** What keeps a line from being read, as a sentence. */
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

import { setImmediate as turn } from 'node:timers/promises'
import { createInvalidError } from '../../shared/errors.ts'
import { formatCount } from '../../shared/format-count.ts'
import { MAX_REFUSED_LINES } from '../../shared/schemas/import.ts'

/** A rejected line, and why. SECURITY: the message never repeats the content of the line. */
type CsvRejectedLine = { line: number; message: string }

/** One record: the line on which it starts and its fields, or null if its quotation marks are not valid CSV. */
export type CsvRecord = { line: number; fields: string[] | null }

/** Reads a record by column: `cell('brand')` is trimmed, and empty if there is no such column. */
export type CsvRow = (column: string) => string

/** The possible separators. The first is used if the header contains none. */
const separators = [',', ';', '\t'] as const

/** 1 for the character codes that may end a field or a line, or quote it. Most text has none of them. */
const special = Uint8Array.from({ length: 64 }, (_, code) => +',;\t"\r\n'.includes(String.fromCharCode(code)))

export type Separator = (typeof separators)[number]

/**
 * Detects the separator: the comma, semicolon or tab that occurs most often in the header outside of quotes; a comma
 * if none occurs. The header is the first line that is not empty. Returns undefined if the header is incomplete and
 * `more` text follows.
 */
export function detectSeparator(text: string): Separator
export function detectSeparator(text: string, more: boolean): Separator | undefined
export function detectSeparator(text: string, more = false): Separator | undefined {
  const counts = { ',': 0, ';': 0, '\t': 0 }
  let quoted = false
  let ended = !more
  for (let at = /^\uFEFF?[\r\n]*/.exec(text)?.[0].length ?? 0; at < text.length; at++) {
    // Skipped early, because `charAt` and `in` are slow on megabytes.
    if (special[text.charCodeAt(at)] !== 1) continue
    const character = text.charAt(at)
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === '\n' || character === '\r') {
      ended = true
      break
    } else if (character in counts) counts[character as Separator]++
  }
  if (!ended) return undefined
  return separators.reduce((best, each) => (counts[each] > counts[best] ? each : best))
}

/**
 * Parses separated text (RFC 4180) with quoted fields, doubled quotes and any line endings. Empty lines are skipped. A
 * record with unbalanced quotes is null, and parsing resumes on the next line. Returns where the last record ends, and
 * after how many lines. If `more` text follows, a record is returned only once later text cannot change it, so that the
 * result does not depend on how the text is split.
 */
export function readCsv(
  text: string,
  separator: Separator,
  more: boolean,
): { records: CsvRecord[]; end: number; lines: number } {
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < text.length) {
    const read = readRecord(text, at, separator)
    // A carriage return at the end may be the first half of a line ending, so the record is still open.
    const open = read.open || read.end >= text.length - (text[read.end] === '\r' ? 1 : 0)
    if (more && open) break
    const { fields, end } = read
    if (fields === null || fields.length > 1 || end > at) records.push({ line, fields })
    const next = skipLineEnd(text, end)
    line += countLineEnds(text, at, next)
    at = next
  }
  return { records, end: Math.min(at, text.length), lines: line - 1 }
}

/** Counts the line endings between two positions: CR, LF and CRLF. */
function countLineEnds(text: string, start: number, end: number): number {
  let count = 0
  for (let at = findLineEnd(text, start); at < end && at < text.length; at = findLineEnd(text, at)) {
    count++
    at = skipLineEnd(text, at)
  }
  return count
}

/** The maximum number of columns: no valid table has more. */
const MAX_COLUMNS = 1_000
/** The maximum length of a record of a table. This much text is read in one turn (rule R-03). */
const MAX_RECORD_LENGTH = 16 * 1024
const tooLong = `This line is longer than ${formatCount(MAX_RECORD_LENGTH, 'character')}.`

/** How many lines of a table were rejected, and why the first of them were. */
export type CsvRejectedLines = { refused_lines: number; refused: CsvRejectedLine[] }
type TableRecord = CsvRecord & { readonly problem?: string }
/** Takes a row, or returns why it is rejected. */
type TakeRow = (cell: CsvRow) => string | undefined

/**
 * Reads text with a header, which names the columns and determines the separator (`detectSeparator`), with other work
 * in between. Names are compared in lower case, with `_` for spaces. `start` gets them, and returns what takes the rows,
 * or what is wrong with the header. Throws `invalid` for more than 1,000 columns.
 */
export async function readCsvTable(
  text: string,
  start: (columns: readonly string[]) => TakeRow | string,
): Promise<CsvRejectedLines> {
  const rejected: CsvRejectedLines = { refused_lines: 0, refused: [] }
  let columns: string[] = []
  let takeRow: TakeRow | string | undefined
  for await (const records of readInTurns(text)) {
    if (takeRow === undefined) {
      columns = toColumnNames(records.shift()?.fields ?? [])
      takeRow = start(columns)
    }
    if (typeof takeRow === 'string') break
    for (const record of records) {
      const message = takeRecord(record, columns, takeRow)
      if (message === undefined) continue
      rejected.refused_lines++
      if (rejected.refused.length < MAX_REFUSED_LINES) rejected.refused.push({ line: record.line, message })
    }
  }
  takeRow ??= start(columns)
  if (typeof takeRow !== 'string') return rejected
  return { refused_lines: 1, refused: [{ line: 1, message: takeRow }] }
}

/** Returns why a record is rejected, or undefined. */
function takeRecord(
  { fields, problem }: TableRecord,
  columns: readonly string[],
  takeRow: TakeRow,
): string | undefined {
  // Missing cells at the end count as empty, because the callers check each cell.
  const wrong = problem ?? findRecordError(fields, Math.min(fields?.length ?? 0, columns.length))
  return wrong ?? takeRow((column) => (fields?.[columns.indexOf(column)] ?? '').trim())
}

function toColumnNames(header: readonly string[]): string[] {
  if (header.length > MAX_COLUMNS)
    throw createInvalidError('csv', `must not have more than ${MAX_COLUMNS} columns`)
  return header.map((name) => name.trim().toLowerCase().replace(/\s+/g, '_'))
}

/** Yields the records of a text, with other work in between, and the problem of a line that is too long for one. */
async function* readInTurns(text: string): AsyncGenerator<TableRecord[]> {
  const separator = detectSeparator(text.slice(0, MAX_RECORD_LENGTH))
  let line = 1
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; await turn()) {
    const part = text.slice(at, at + MAX_RECORD_LENGTH)
    const { records, end, lines } = readCsv(part, separator, at + part.length < text.length)
    if (records.length > 0) yield records.map((each) => ({ ...each, line: line + each.line - 1 }))
    line += lines
    at += end
    if (end > 0) continue
    const isLong = findLineEnd(part, 0) === part.length
    yield [{ line, fields: null, ...(isLong && { problem: tooLong }) }]
    line++
    at = skipLineEnd(text, findLineEnd(text, at))
  }
}

/** Returns why a record does not match a header with this many columns, or undefined if it does. */
export function findRecordError(fields: CsvRecord['fields'], columns: number): string | undefined {
  if (fields === null) return 'A quotation mark is missing, or is inside an unquoted field.'
  if (fields.length === columns) return undefined
  return `This line has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}. The header has ${columns}.`
}

type CsvField = { value: string; end: number }

/**
 * Reads the fields of the record at a position, and where it ends: at its line ending, or at the end of the text.
 * `open` is true if the record ends inside a quoted field.
 */
function readRecord(
  text: string,
  start: number,
  separator: Separator,
): { fields: string[] | null; end: number; open?: boolean } {
  // A field ends at any of these.
  const ends = `${separator}\r\n`
  const fields: string[] = []
  for (let at = start; ; at++) {
    const field = text[at] === '"' ? readQuoted(text, at, ends) : readPlain(text, at, ends)
    if (typeof field === 'string') return { fields: null, end: findLineEnd(text, at), open: field === 'open' }
    fields.push(field.value)
    at = field.end
    if (text[at] !== separator) return { fields, end: at }
  }
}

function readPlain(text: string, start: number, ends: string): CsvField | 'wrong' {
  let end = start
  while (end < text.length && (special[text.charCodeAt(end)] !== 1 || !ends.includes(text.charAt(end)))) end++
  const value = text.slice(start, end)
  return value.includes('"') ? 'wrong' : { value, end }
}

function readQuoted(text: string, start: number, ends: string): CsvField | 'wrong' | 'open' {
  let value = ''
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return 'open'
    value += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') {
      return at === text.length || ends.includes(text.charAt(at)) ? { value, end: at } : 'wrong'
    }
    value += '"'
  }
}

function findLineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return text.length
}

function skipLineEnd(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? at + 2 : at + 1
}

import { createInvalidError } from '../../shared/errors.ts'

/** A rejected line, and why. SECURITY: the message never repeats the content of the line. */
export type CsvRejectedLine = { line: number; message: string }

/** One record: the line on which it starts and its fields, or null if its quotation marks are not valid CSV. */
export type CsvRecord = { line: number; fields: string[] | null }

/** A record with access by column: `cell('brand')` is trimmed, and empty if there is no such column. */
export type CsvRow = { line: number; cell(column: string): string }

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
 * Parses separated text (RFC 4180) with quoted fields, doubled quotes, any line endings and a leading byte order mark.
 * Empty lines are skipped. A record with unbalanced quotes is null, and parsing resumes on the next line.
 */
export function parseCsv(text: string, separator: Separator = ','): CsvRecord[] {
  return readCsv(text.startsWith('\uFEFF') ? text.slice(1) : text, separator, false).records
}

/**
 * Parses the records of a string that may be part of a longer text, and returns where the last of them ends. If
 * `more` text follows, a record is returned only once later text cannot change it, so that the result does not depend
 * on how the text is split.
 */
export function readCsv(
  text: string,
  separator: Separator,
  more: boolean,
): { records: CsvRecord[]; end: number } {
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
    line += text.slice(at, next).match(/\r\n|\r|\n/g)?.length ?? 0
    at = next
  }
  return { records, end: Math.min(at, text.length) }
}

/** The maximum number of columns: no valid table has more. */
const MAX_COLUMNS = 1_000
/** How much of a column's name is read. Rewriting megabytes would take longer than the main thread may be busy. */
const MAX_NAME_LENGTH = 1_000

function getFirstLine(text: string): string {
  const start = /^\uFEFF?[\r\n]*/.exec(text)?.[0].length ?? 0
  return text.slice(start, findLineEnd(text, start))
}

/**
 * Parses text with a header, which names the columns and determines the separator (`detectSeparator`). Names
 * are compared in lower case, with `_` for spaces. Malformed records are listed in `refused`. Throws `invalid`
 * for more than 1,000 columns.
 */
export function readCsvTable(text: string): {
  columns: string[]
  rows: CsvRow[]
  refused: CsvRejectedLine[]
} {
  const separator = detectSeparator(text)
  if (getFirstLine(text).split(separator, MAX_COLUMNS + 1).length > MAX_COLUMNS) {
    throw createInvalidError('csv', `must not have more than ${MAX_COLUMNS} columns`)
  }
  const [header, ...records] = parseCsv(text, separator)
  const columns = (header?.fields ?? []).map((name) =>
    name.trim().slice(0, MAX_NAME_LENGTH).toLowerCase().replace(/\s+/g, '_'),
  )
  const rows: CsvRow[] = []
  const refused: CsvRejectedLine[] = []
  for (const { line, fields } of records) {
    // Missing cells at the end count as empty, because the callers check each cell.
    const message = findRecordError(fields, Math.min(fields?.length ?? 0, columns.length))
    if (message !== undefined) refused.push({ line, message })
    else rows.push({ line, cell: (column) => (fields?.[columns.indexOf(column)] ?? '').trim() })
  }
  return { columns, rows, refused }
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

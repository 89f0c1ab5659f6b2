/** A line of a file that was not taken, and why. SECURITY: the message never repeats what the line holds. */
export type RefusedLine = { line: number; message: string }

/** One record: the line it starts on and its fields, or null where its quotation marks are not those of CSV. */
export type CsvRecord = { line: number; fields: string[] | null }

/** A record under its header: `cell('brand')` is trimmed, and empty where there is no such column. */
export type CsvRow = { line: number; cell(column: string): string }

/** What may stand between two fields; the first where a header does not tell. */
const separators = [',', ';', '\t'] as const

export type Separator = (typeof separators)[number]

/**
 * What separates the fields of a text, by its header, which is its first line that is not empty: the one of comma,
 * semicolon and tab that stands there most often outside of quotes; a comma where none does. Undefined where `more` of
 * the text is to come and its header has not ended.
 */
export function separatorOf(text: string): Separator
export function separatorOf(text: string, more: boolean): Separator | undefined
export function separatorOf(text: string, more = false): Separator | undefined {
  const counts = { ',': 0, ';': 0, '\t': 0 }
  let quoted = false
  let ended = !more
  for (let at = /^\uFEFF?[\r\n]*/.exec(text)?.[0].length ?? 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === '\n' || character === '\r') {
      ended = true
      break
    } else if (character in counts) counts[character as Separator]++
  }
  if (!ended) return undefined
  return separators.reduce((most, each) => (counts[each] > counts[most] ? each : most))
}

/**
 * Reads separated text (RFC 4180): quoted fields, doubled quotes, line ends of every kind, a leading byte order mark.
 * Empty lines are skipped. A record with a quotation mark too many or too few is null, and the next line is read again.
 */
export function parseCsv(text: string, separator: Separator = ','): CsvRecord[] {
  return readCsv(text.startsWith('\uFEFF') ? text.slice(1) : text, separator, false).records
}

/**
 * Reads the records of a text that may be a part of a whole, and says where the last of them ends. While `more` is to
 * come, a record is read only where nothing behind the text could change it, so that a text gives the same records in
 * whatever pieces it comes.
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
    // A line feed may follow a carriage return.
    const open = read.open || read.end >= text.length - (text[read.end] === '\r' ? 1 : 0)
    if (more && open) break
    const { fields, end } = read
    if (fields === null || fields.length > 1 || end > at) records.push({ line, fields })
    const next = afterLineEnd(text, end)
    line += text.slice(at, next).match(/\r\n|\r|\n/g)?.length ?? 0
    at = next
  }
  return { records, end: Math.min(at, text.length) }
}

/**
 * Reads text whose first record names the columns and says what separates them (`separatorOf`); names are compared in
 * lower case with `_` for spaces. Records that cannot be read go to `refused`.
 */
export function readCsvTable(text: string): { columns: string[]; rows: CsvRow[]; refused: RefusedLine[] } {
  const [header, ...records] = parseCsv(text, separatorOf(text))
  const columns = (header?.fields ?? []).map((name) => name.trim().toLowerCase().replace(/\s+/g, '_'))
  const rows: CsvRow[] = []
  const refused: RefusedLine[] = []
  for (const { line, fields } of records) {
    // Cells left out at the end are empty ones here: whoever reads such a table checks each cell.
    const message = problemOf(fields, Math.min(fields?.length ?? 0, columns.length))
    if (message !== undefined) refused.push({ line, message })
    else rows.push({ line, cell: (column) => (fields?.[columns.indexOf(column)] ?? '').trim() })
  }
  return { columns, rows, refused }
}

/** Why a record cannot stand under a header of so many columns: a field may be lost or in another's place. */
export function problemOf(fields: CsvRecord['fields'], columns: number): string | undefined {
  if (fields === null) return 'A quotation mark is missing, or stands inside a field that is not quoted.'
  if (fields.length === columns) return undefined
  return `This line has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}. The header has ${columns}.`
}

type Field = { value: string; end: number }

/**
 * The fields of the record at a position, and where it ends: at its line end, or at the end of the text. `open` where a
 * quoted field had not ended there.
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
    if (typeof field === 'string') return { fields: null, end: lineEnd(text, at), open: field === 'open' }
    fields.push(field.value)
    at = field.end
    if (text[at] !== separator) return { fields, end: at }
  }
}

function readPlain(text: string, start: number, ends: string): Field | 'wrong' {
  let end = start
  while (end < text.length && !ends.includes(text.charAt(end))) end++
  const value = text.slice(start, end)
  return value.includes('"') ? 'wrong' : { value, end }
}

function readQuoted(text: string, start: number, ends: string): Field | 'wrong' | 'open' {
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

function lineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return at
  }
  return text.length
}

function afterLineEnd(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? at + 2 : at + 1
}

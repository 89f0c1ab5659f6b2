import { type CsvRejectedLine, type CsvRow, readCsvTable } from '../../csv.ts'
import type { BinDetails, BinEntry, IssuerFacts } from './bin-table.ts'
import { cardAuthentications, cardBrands, cardFundings, cardSegments } from './brands.ts'

/**
 * Parses the owner's BIN file (T-16). Columns: `bin`, or `from` and `to`; `brand`; optionally `funding`,
 * `authentication`, `issuer`, `country`, `segment` and `product`; others are ignored. A repeated BIN is added to
 * `additional` of its first line. Invalid lines are skipped and listed in `refused`.
 */
export function parseBinCsv(text: string): { entries: BinEntry[]; refused: CsvRejectedLine[] } {
  const { columns, rows, refused } = readCsvTable(text)
  const hasRange = columns.includes('from') && columns.includes('to')
  if (!(columns.includes('bin') || hasRange) || !columns.includes('brand')) {
    return {
      entries: [],
      refused: [{ line: 1, message: 'The header must have the columns bin (or from and to) and brand.' }],
    }
  }
  const entries = new Map<string, BinEntry>()
  for (const row of rows) {
    const from = row.cell('bin') || row.cell('from')
    const to = row.cell('bin') || row.cell('to')
    const first = entries.get(`${from}-${to}`)
    const message = describeRangeProblem(from, to) ?? describeDetailsProblem(row, first !== undefined)
    if (message) refused.push({ line: row.line, message })
    else if (first) first.additional = [...(first.additional ?? []), toBinDetails(row)]
    else entries.set(`${from}-${to}`, { from, to, ...toBinDetails(row) })
  }
  return { entries: [...entries.values()], refused: refused.sort((a, b) => a.line - b.line) }
}

function describeRangeProblem(from: string, to: string): string | undefined {
  // SECURITY: at most 11 digits, so that a full card number is never stored as a BIN.
  if (!/^\d{1,11}$/.test(from) || !/^\d{1,11}$/.test(to)) return 'A BIN must be 1 to 11 digits.'
  if (from.length !== to.length) return 'from and to must have the same number of digits.'
  return from > to ? 'from must not be after to.' : undefined
}

function describeDetailsProblem(row: CsvRow, isAdditional: boolean): string | undefined {
  const brand = readBrand(row)
  if (isAdditional ? !/^[a-z][a-z-]{0,39}$/.test(brand) : !findValue(cardBrands, brand)) {
    return isAdditional ? 'brand must be a name.' : `brand must be one of ${cardBrands.join(', ')}.`
  }
  if (readLowerCell(row, 'funding') && !findValue(cardFundings, readLowerCell(row, 'funding'))) {
    return `funding must be empty or one of ${cardFundings.join(', ')}.`
  }
  if (
    readLowerCell(row, 'authentication') &&
    !findValue(cardAuthentications, readLowerCell(row, 'authentication'))
  ) {
    return `authentication must be empty or ${cardAuthentications.join(', ')}.`
  }
  return undefined
}

function toBinDetails(row: CsvRow): BinDetails {
  const facts = readFacts(row)
  return {
    brand: readBrand(row),
    funding: findValue(cardFundings, readLowerCell(row, 'funding')) ?? null,
    authentication: findValue(cardAuthentications, readLowerCell(row, 'authentication')) ?? null,
    ...(Object.keys(facts).length > 0 && { facts }),
  }
}

/**
 * Reads what a line says about the issuer. Values in another form are left out, because BIN files have columns of these
 * names with other content. SECURITY: a text with many digits may be a card number, and is left out too.
 */
function readFacts(row: CsvRow): IssuerFacts {
  const issuer = row.cell('issuer').replace(/\s+/g, ' ')
  const country = row.cell('country').toUpperCase()
  const segment = cardSegments.find((each) => each.toLowerCase() === readLowerCell(row, 'segment'))
  const product = row.cell('product')
  return {
    ...(/^[^\p{C}]{1,100}$/u.test(issuer) && !/\d{6}/.test(issuer) && { issuer }),
    ...(/^[A-Z]{2}$/.test(country) && { country }),
    ...(segment && { segment }),
    ...(/^[A-Za-z0-9_-]{1,5}$/.test(product) && { product }),
  }
}

function findValue<T extends string>(values: readonly T[], value: string): T | undefined {
  return values.find((each) => each === value)
}

function readLowerCell(row: CsvRow, column: string): string {
  return row.cell(column).toLowerCase()
}

function readBrand(row: CsvRow): string {
  return readLowerCell(row, 'brand').replace(/[\s_]+/g, '-')
}

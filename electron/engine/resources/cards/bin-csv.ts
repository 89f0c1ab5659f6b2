import { type CsvRejectedLines, type CsvRow, readCsvTable } from '../../csv.ts'
import type { BinDetails, BinEntry, IssuerFacts } from './bin-table.ts'
import { cardAuthentications, cardBrands, cardFundings, cardSegments } from './brands.ts'

/** The maximum number of lines of the same BIN, because every read of a card returns all of them. */
const MAX_LINES_PER_BIN = 100

/**
 * Parses the owner's BIN file (T-16), with other work in between. Columns: `bin`, or `from` and `to`; `brand`;
 * optionally `funding`, `authentication`, `issuer`, `country`, `segment` and `product`; others are ignored. A repeated
 * BIN is added to `additional` of its first line. Invalid lines are skipped and listed in `refused`.
 */
export async function parseBinCsv(text: string): Promise<CsvRejectedLines & { entries: BinEntry[] }> {
  const entries = new Map<string, BinEntry>()
  const rejected = await readCsvTable(text, (columns) => {
    const hasRange = columns.includes('from') && columns.includes('to')
    if (!(columns.includes('bin') || hasRange) || !columns.includes('brand'))
      return 'The header must have the columns bin (or from and to) and brand.'
    return (row) => {
      const from = row('bin') || row('from')
      const to = row('bin') || row('to')
      const first = entries.get(`${from}-${to}`)
      const message = describeRangeProblem(from, to) ?? describeDetailsProblem(row, first)
      if (message !== undefined) return message
      if (!first) entries.set(`${from}-${to}`, { from, to, ...toBinDetails(row) })
      else if (first.additional) first.additional.push(toBinDetails(row))
      else first.additional = [toBinDetails(row)]
      return undefined
    }
  })
  return { entries: [...entries.values()], ...rejected }
}

function describeRangeProblem(from: string, to: string): string | undefined {
  // SECURITY: at most 11 digits, so that a full card number is never stored as a BIN.
  if (!/^\d{1,11}$/.test(from) || !/^\d{1,11}$/.test(to)) return 'A BIN must be 1 to 11 digits.'
  if (from.length !== to.length) return 'from and to must have the same number of digits.'
  return from > to ? 'from must not be after to.' : undefined
}

function describeDetailsProblem(row: CsvRow, first: BinEntry | undefined): string | undefined {
  const brand = readBrand(row)
  const isAdditional = first !== undefined
  if (first?.additional?.length === MAX_LINES_PER_BIN - 1)
    return `This BIN is already on ${MAX_LINES_PER_BIN} earlier lines.`
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
  const issuer = row('issuer').replace(/\s+/g, ' ')
  const country = row('country').toUpperCase()
  const segment = cardSegments.find((each) => each.toLowerCase() === readLowerCell(row, 'segment'))
  const product = row('product')
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
  return row(column).toLowerCase()
}

function readBrand(row: CsvRow): string {
  return readLowerCell(row, 'brand').replace(/[\s_]+/g, '-')
}

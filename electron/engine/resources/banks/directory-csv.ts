import { type CsvRejectedLines, readCsvTable } from '../../csv.ts'
import { bankStatuses, type DirectoryEntry } from './verify.ts'

/**
 * Parses the owner's bank directory (B-02), with other work in between. Columns: `routing_number` (or `routing`),
 * `account_number` (or `account`) and `status`; others are ignored. A routing number need not pass the checksum.
 * Invalid lines, and lines that repeat an account, are skipped and listed in `refused`.
 */
export async function parseDirectoryCsv(
  text: string,
): Promise<CsvRejectedLines & { entries: DirectoryEntry[] }> {
  const entries = new Map<string, DirectoryEntry>()
  const rejected = await readCsvTable(text, (columns) => {
    const routingColumn = columns.find((each) => each === 'routing_number' || each === 'routing')
    const accountColumn = columns.find((each) => each === 'account_number' || each === 'account')
    if (!routingColumn || !accountColumn || !columns.includes('status'))
      return 'The header must have the columns routing_number, account_number and status.'
    return (cell) => {
      const routing_number = cell(routingColumn)
      const account_number = cell(accountColumn)
      const status = bankStatuses.find((each) => each === cell('status').toLowerCase())
      const key = `${routing_number}/${account_number}`
      if (!/^\d{9}$/.test(routing_number)) return 'routing_number must be 9 digits.'
      if (!/^\d{1,17}$/.test(account_number)) return 'account_number must be 1 to 17 digits.'
      if (!status) return `status must be one of ${bankStatuses.join(', ')}.`
      if (entries.has(key)) return 'This account is already on an earlier line.'
      entries.set(key, { routing_number, account_number, status })
      return undefined
    }
  })
  return { entries: [...entries.values()], ...rejected }
}

/** Formats accounts as CSV for `parseDirectoryCsv`. Digits and statuses need no quotes. */
export function formatDirectoryCsv(entries: readonly DirectoryEntry[], withHeader: boolean): string {
  const header = withHeader ? 'routing_number,account_number,status\r\n' : ''
  const lines = entries.map((each) => `${each.routing_number},${each.account_number},${each.status}\r\n`)
  return header + lines.join('')
}

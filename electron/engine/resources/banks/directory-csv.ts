import { type CsvRejectedLine, readCsvTable } from '../../csv.ts'
import { bankStatuses, type DirectoryEntry } from './verify.ts'

/**
 * Parses the owner's bank directory (B-02). Columns: `routing_number` (or `routing`), `account_number` (or `account`)
 * and `status`; others are ignored. A routing number need not pass the checksum. Invalid lines, and lines that repeat
 * an account, are skipped and listed in `refused`.
 */
export function parseDirectoryCsv(text: string): { entries: DirectoryEntry[]; refused: CsvRejectedLine[] } {
  const { columns, rows, refused } = readCsvTable(text)
  const routingColumn = columns.find((each) => each === 'routing_number' || each === 'routing')
  const accountColumn = columns.find((each) => each === 'account_number' || each === 'account')
  if (!routingColumn || !accountColumn || !columns.includes('status')) {
    return {
      entries: [],
      refused: [
        { line: 1, message: 'The header must have the columns routing_number, account_number and status.' },
      ],
    }
  }
  const entries = new Map<string, DirectoryEntry>()
  for (const row of rows) {
    const routing_number = row.cell(routingColumn)
    const account_number = row.cell(accountColumn)
    const status = bankStatuses.find((each) => each === row.cell('status').toLowerCase())
    const key = `${routing_number}/${account_number}`
    const rejectLine = (message: string) => refused.push({ line: row.line, message })
    if (!/^\d{9}$/.test(routing_number)) rejectLine('routing_number must be 9 digits.')
    else if (!/^\d{1,17}$/.test(account_number)) rejectLine('account_number must be 1 to 17 digits.')
    else if (!status) rejectLine(`status must be one of ${bankStatuses.join(', ')}.`)
    else if (entries.has(key)) rejectLine('This account is already on an earlier line.')
    else entries.set(key, { routing_number, account_number, status })
  }
  return { entries: [...entries.values()], refused: refused.sort((a, b) => a.line - b.line) }
}

/** Formats the directory as CSV for `parseDirectoryCsv`. Digits and statuses need no quotes. */
export function formatDirectoryCsv(entries: readonly DirectoryEntry[]): string {
  const lines = entries.map((each) => `${each.routing_number},${each.account_number},${each.status}`)
  return ['routing_number,account_number,status', ...lines, ''].join('\r\n')
}

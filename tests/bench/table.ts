/**
 * Formats rows as a Markdown table that is also readable in a terminal; all columns but the first are right-aligned.
 */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const formatLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [formatLine(head), formatLine(rule), ...rows.map(formatLine)].join('\n')
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function formatRatio(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}

/** Formats microseconds as milliseconds. */
export function formatMs(us: number): string {
  return (us / 1000).toFixed(us < 10_000 ? 2 : 1)
}

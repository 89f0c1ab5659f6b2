import { styleText } from 'node:util'
import { sanitizeText } from './printable.ts'
import { printLine } from './vault-options.ts'

export type Color = 'green' | 'yellow' | 'red' | 'dim'

/** A column: its head, and the color of a cell. */
export type TableColumn = { readonly head: string; color?(text: string): Color | undefined }

/**
 * Returns a function that prints rows in aligned columns. At a terminal, the heads come first. The widths are those of the
 * first rows. SECURITY: cells are sanitized.
 */
export function createTable(columns: readonly TableColumn[]): (rows: readonly (readonly string[])[]) => void {
  let widths: number[] | undefined
  return (rows) => {
    if (rows.length === 0) return
    const cells = rows.map((row) => row.map(sanitizeText))
    const isFirst = widths === undefined
    widths ??= columns.map(({ head }, at) =>
      Math.max(process.stdout.isTTY ? head.length : 0, ...cells.map((row) => row[at]?.length ?? 0)),
    )
    const known = widths
    const formatRow = (
      row: readonly string[],
      colorOf: (column: TableColumn, cell: string) => Color | undefined,
    ) =>
      columns
        .map((column, at) => {
          const cell = row[at] ?? ''
          const isLast = at === columns.length - 1
          return colorText(isLast ? cell : cell.padEnd(known[at] ?? 0), colorOf(column, cell))
        })
        .join('  ')
        .trimEnd()
    if (isFirst && process.stdout.isTTY)
      printLine(
        formatRow(
          columns.map(({ head }) => head),
          () => 'dim',
        ),
      )
    for (const row of cells) printLine(formatRow(row, (column, cell) => column.color?.(cell)))
  }
}

/** Colors text for standard output, unless it is no terminal or NO_COLOR is set; FORCE_COLOR overrides both. */
export function colorText(text: string, color: Color | undefined): string {
  return color === undefined ? text : styleText(color, text, { stream: process.stdout })
}

/** The color of an HTTP status, or of a class of statuses. */
export function getStatusColor(status: string): Color | undefined {
  return ({ 2: 'green', 4: 'yellow', 5: 'red' } as const)[status.charAt(0)]
}

/**
 * Formats text as a cell of a CSV file. SECURITY: prefixes text that starts like a formula, so that a spreadsheet does
 * not run it.
 */
export function formatCsvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return quoteCell(inert)
}

/** Quotes a cell that has quotes, commas or line breaks. Only for text that is no formula or must not change. */
export function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

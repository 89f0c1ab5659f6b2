/** Formats a text as a cell of a CSV file. SECURITY: a spreadsheet must read it as text, not run it as a formula. */
export function formatCsvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return quoteCell(inert)
}

/** Quotes a cell where necessary. The text must not begin like a formula. */
export function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

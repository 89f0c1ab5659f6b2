/** Rows, newest first, and the position from which older ones are read; null at the end. */
type DocumentRows<Row> = { readonly rows: readonly Row[]; readonly next: number | null }

/** Merges a new first page into the rows. Replaces them if rows in between may be missing. */
export function mergePage<Row extends { readonly seq: number }>(
  current: DocumentRows<Row>,
  page: DocumentRows<Row>,
): DocumentRows<Row> {
  const [newest] = current.rows
  const oldest = page.rows.at(-1)
  const hasGap = page.next !== null && (!newest || !oldest || oldest.seq > newest.seq)
  if (hasGap || !newest) return page
  return { rows: [...page.rows.filter(({ seq }) => seq > newest.seq), ...current.rows], next: current.next }
}

type DocumentListRow = { readonly id: string; readonly seq: number }

type ListExtent = {
  /** Whether there are rows after those that are loaded. */
  readonly hasMore: boolean
  /** Whether there may be rows after the page. */
  readonly isFull: boolean
}

/** The rows once a newer first page has come. If more has arrived than fits a page, older rows are loaded again. */
export function mergePage<R extends DocumentListRow>(
  rows: readonly R[],
  page: readonly R[],
  { hasMore, isFull }: ListExtent,
): { readonly rows: readonly R[]; readonly hasMore: boolean } {
  const [newest] = rows
  const oldest = page.at(-1)
  const hasGap = isFull && (!newest || !oldest || oldest.seq > newest.seq)
  if (hasGap || !newest) return { rows: page, hasMore: isFull }
  return { rows: [...page.filter(({ seq }) => seq > newest.seq), ...rows], hasMore }
}

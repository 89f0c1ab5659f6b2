type DocumentListRow = { readonly id: string; readonly seq: number }

type ListExtent = {
  /** Whether there are rows after the loaded ones. */
  readonly hasMore: boolean
  /** Whether the page is full, so that older rows may follow. */
  readonly isFull: boolean
}

/** Merges a new first page into the rows. Replaces them if rows in between may be missing. */
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

/** Returns one page of an offset-paginated list (rule L-05). `total` is the number of items on all pages. */
export function toOffsetPage<T>(data: T[], total: number, page: number, size: number) {
  return {
    pagination: {
      total_items: total,
      page_number: page,
      page_size: size,
      total_pages: Math.ceil(total / size),
    },
    data,
  }
}

/** Returns one page of a list that is at hand completely (rule L-05). */
export function sliceOffsetPage<T>(
  all: readonly T[],
  { page, size }: { readonly page: number; readonly size: number },
) {
  const before = countRowsBefore({ page, size })
  return toOffsetPage(all.slice(before, before + size), all.length, page, size)
}

/** Returns how many rows precede a numbered page, bounded so that every page past the end is empty (rule L-05). */
export function countRowsBefore({ page, size }: { readonly page: number; readonly size: number }): number {
  return Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER)
}

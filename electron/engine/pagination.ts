/** An offset-paginated object (rule L-05). */
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

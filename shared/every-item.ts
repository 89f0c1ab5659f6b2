import { CofferError } from './errors.ts'

type NumberedPage<T> = {
  readonly data: readonly T[]
  readonly pagination: { readonly total_items: number; readonly total_pages: number }
}

/** Page sizes to try: a smaller one if items are too large for one response (rule R-03). */
const SIZES = [100, 10]

/**
 * Reads a numbered list to its end, or until it has `max` items. Returns the items, and the total that the list
 * reports. Throws whatever `fetchPage` throws.
 */
export async function fetchEveryItem<T>(
  fetchPage: (page: { readonly page: number; readonly size: number }) => Promise<NumberedPage<T>>,
  max = Number.POSITIVE_INFINITY,
): Promise<{ items: T[]; total: number }> {
  for (const size of SIZES) {
    try {
      return await fetchPages(fetchPage, size, max)
    } catch (error) {
      if (!(error instanceof CofferError && error.errors?.size)) throw error
    }
  }
  return fetchPages(fetchPage, 1, max)
}

async function fetchPages<T>(
  fetchPage: (page: { readonly page: number; readonly size: number }) => Promise<NumberedPage<T>>,
  size: number,
  max: number,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await fetchPage({ page, size })
    items.push(...data)
    const { total_items: total, total_pages } = pagination
    if (page >= total_pages || items.length >= max) return { items, total }
  }
}

import { CofferError } from './errors.ts'

type Page<T> = {
  readonly data: readonly T[]
  readonly pagination: { readonly total_items: number; readonly total_pages: number }
}

/** As many on a page as there may be; fewer where these are too large for one answer (rule R-03). */
const SIZES = [100, 10]

/**
 * Reads a numbered list to its end, or until there are `most`: the items, and how many there are in all. Throws what
 * `pageOf` throws.
 */
export async function everyItem<T>(
  pageOf: (page: { readonly page: number; readonly size: number }) => Promise<Page<T>>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: T[]; total: number }> {
  for (const size of SIZES) {
    try {
      return await inPages(pageOf, size, most)
    } catch (error) {
      if (!(error instanceof CofferError && error.errors?.size)) throw error
    }
  }
  return inPages(pageOf, 1, most)
}

async function inPages<T>(
  pageOf: (page: { readonly page: number; readonly size: number }) => Promise<Page<T>>,
  size: number,
  most: number,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await pageOf({ page, size })
    items.push(...data)
    const { total_items: total, total_pages } = pagination
    if (page >= total_pages || items.length >= most) return { items, total }
  }
}

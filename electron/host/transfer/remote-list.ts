import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { z } from '../../../shared/zod.ts'
import { getJson, type PushTarget } from './push-request.ts'

type RemoteListOptions<Item> = {
  readonly path: `/${string}`
  readonly item: z.ZodType<Item>
  readonly permission: Permission
}

/** The pagination of a list, by page number or by cursor. */
const pagination = z.union([
  z.object({ total_pages: z.number() }),
  z.object({ page_size: z.number(), next: z.string().nullish() }),
])

/**
 * Fetches every item of a server's list. Null if the server has no such list. Throws `forbidden` if the key may not
 * read it, `unavailable` if the response is not such a list, and what `getJson` throws.
 */
export async function fetchRemoteList<Item>(
  target: PushTarget,
  { path, item, permission }: RemoteListOptions<Item>,
): Promise<Item[] | null> {
  const pageOfThem = z.object({ pagination, data: z.array(item) })
  const all: Item[] = []
  let page = 1
  for (let pageQuery: string | null = ''; pageQuery !== null; ) {
    const response = await getJson(target, `${path}?size=100${pageQuery}`, permission)
    if (response === null) return null
    const parsed = pageOfThem.safeParse(response.json)
    if (!parsed.success)
      throw new CofferError('unavailable', `${target.url} did not return a list of ${path.slice(1)}.`)
    all.push(...parsed.data.data)
    const pages = parsed.data.pagination
    if ('total_pages' in pages) pageQuery = page < pages.total_pages ? `&page=${++page}` : null
    else pageQuery = pages.next ? `&start=${encodeURIComponent(pages.next)}` : null
  }
  return all
}

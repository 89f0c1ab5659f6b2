import { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { get, type PushTarget } from './push-request.ts'

type Listed<Item> = {
  readonly path: '/applications' | '/proxies'
  /** The members of each that are looked at. */
  readonly item: z.ZodType<Item>
  readonly permission: Permission
}

/**
 * Everything that a list of a server holds; null if the server has no such list. Throws `forbidden` if the key may not
 * read it, `unavailable` if the answer is something else, and what `get` throws.
 */
export async function listThere<Item>(
  target: PushTarget,
  { path, item, permission }: Listed<Item>,
): Promise<Item[] | null> {
  const pageOfThem = z.object({ pagination: z.object({ total_pages: z.number() }), data: z.array(item) })
  const all: Item[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await get(target, `${path}?page=${page}&size=100`, permission)
    if (answer === null) return null
    const parsed = pageOfThem.safeParse(answer.json)
    if (!parsed.success)
      throw new CofferError('unavailable', `${target.url} did not answer with a list of ${path.slice(1)}.`)
    all.push(...parsed.data.data)
    pages = parsed.data.pagination.total_pages
  }
  return all
}

import { fetchEveryItem } from '../../../shared/every-item.ts'
import { reactor } from '../../../shared/schemas/reactor.ts'
import { z } from '../../../shared/zod.ts'
import { requestServer, requireParsed } from './request-server.ts'
import type { ServerOptions } from './server-options.ts'

const stored = reactor.pick({
  id: true,
  name: true,
  code: true,
  application: true,
  configuration: true,
  runtime: true,
  requested: true,
  modified_at: true,
})
/** A reactor of a running Coffer. SECURITY: its configuration holds values, which are neither printed nor written. */
export type RemoteReactor = z.output<typeof stored>

const application = z.object({ id: z.string(), name: z.string() })

/** Fetches every reactor of a running Coffer, sorted by name. Throws whatever `requestServer` throws. */
export async function fetchReactors(options: ServerOptions): Promise<RemoteReactor[]> {
  const all = await fetchEveryPage(options, '/reactors', stored)
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Fetches the current state of a reactor. */
export async function fetchReactor(options: ServerOptions, id: string): Promise<RemoteReactor> {
  return requireParsed(options, stored, await requestServer(options, 'GET', `/reactors/${id}`))
}

export function fetchApplications(options: ServerOptions): Promise<z.output<typeof application>[]> {
  return fetchEveryPage(options, '/applications', application)
}

async function fetchEveryPage<T>(options: ServerOptions, path: string, item: z.ZodType<T>): Promise<T[]> {
  const page = z.object({
    pagination: z.object({ total_pages: z.number(), total_items: z.number() }),
    data: z.array(item),
  })
  const { items } = await fetchEveryItem(async ({ page: number, size }) =>
    requireParsed(options, page, await requestServer(options, 'GET', `${path}?page=${number}&size=${size}`)),
  )
  return items
}

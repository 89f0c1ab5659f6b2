import { CofferError } from '../../../shared/errors.ts'
import { everyItem } from '../../../shared/every-item.ts'
import { reactor } from '../../../shared/schemas/reactor.ts'
import { z } from '../../../shared/zod.ts'
import { askSandbox } from './ask-sandbox.ts'
import type { SandboxOptions } from './sandbox.ts'

const stored = reactor.pick({
  id: true,
  name: true,
  code: true,
  application: true,
  configuration: true,
  runtime: true,
  modified_at: true,
})
/** A reactor of a running Coffer. SECURITY: its configuration holds values, which are neither printed nor written. */
export type ReactorThere = z.output<typeof stored>

const application = z.object({ id: z.string(), name: z.string() })

/** Every reactor of a running Coffer, by name. Throws what `askSandbox` throws. */
export async function reactorsThere(options: SandboxOptions): Promise<ReactorThere[]> {
  const all = await everyPage(options, '/reactors', stored)
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** One of them, as it is now. */
export async function reactorThere(options: SandboxOptions, id: string): Promise<ReactorThere> {
  return understood(options, stored.safeParse(await askSandbox(options, 'GET', `/reactors/${id}`)))
}

export function applicationsThere(options: SandboxOptions): Promise<z.output<typeof application>[]> {
  return everyPage(options, '/applications', application)
}

async function everyPage<T>(options: SandboxOptions, path: string, item: z.ZodType<T>): Promise<T[]> {
  const answer = z.object({
    pagination: z.object({ total_pages: z.number(), total_items: z.number() }),
    data: z.array(item),
  })
  const { items } = await everyItem(async ({ page, size }) =>
    understood(
      options,
      answer.safeParse(await askSandbox(options, 'GET', `${path}?page=${page}&size=${size}`)),
    ),
  )
  return items
}

function understood<T>({ url }: SandboxOptions, result: z.ZodSafeParseResult<T>): T {
  if (result.success) return result.data
  throw new CofferError('unavailable', `The server at ${url} does not answer as Coffer does.`)
}

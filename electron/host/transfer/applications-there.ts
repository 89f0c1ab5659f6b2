import { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { get, type PushTarget } from './push-request.ts'

/** The members compared. Other servers answer with more, and with null or nothing for empty ones. */
const compared = z.object({
  name: z.string(),
  type: z.string(),
  permissions: z.array(z.string()).nullish(),
  rules: z
    .array(
      z.object({
        description: z.string().nullish(),
        priority: z.number(),
        container: z.string().nullish(),
        transform: z.string(),
        permissions: z.array(z.string()),
      }),
    )
    .nullish(),
})
const pageOfThem = z.object({
  pagination: z.object({ total_pages: z.number() }),
  data: z.array(compared),
})

/** The applications a server already has; each matches one copy. */
export class ApplicationsThere {
  readonly #left: string[] = []

  /** Asks the server. Throws `forbidden` if the key may not read applications, and what `get` throws. */
  static async of(target: PushTarget): Promise<ApplicationsThere> {
    const there = new ApplicationsThere()
    for (let page = 1, pages = 1; page <= pages; page++) {
      const parsed = pageOfThem.safeParse(await get(target, pathOf(page), 'application:read'))
      if (!parsed.success) {
        throw new CofferError('unavailable', `${target.url} did not answer with a list of applications.`)
      }
      there.#left.push(...parsed.data.data.map(likeness))
      pages = parsed.data.pagination.total_pages
    }
    return there
  }

  /** Takes an application of the same name, type, permissions and rules; returns whether there was one. */
  take(application: Application): boolean {
    const at = this.#left.indexOf(likeness(application))
    if (at === -1) return false
    this.#left.splice(at, 1)
    return true
  }
}

/** Equal text for applications with the same name and rights, whatever the order of their members. */
function likeness({ name, type, permissions, rules }: z.output<typeof compared>): string {
  const sorted = (rules ?? [])
    .toSorted((one, other) => one.priority - other.priority)
    .map((rule) => [
      rule.priority,
      rule.container ?? '',
      rule.transform,
      rule.permissions.toSorted(),
      rule.description ?? '',
    ])
  return JSON.stringify([name, type, (permissions ?? []).toSorted(), sorted])
}

function pathOf(page: number): string {
  return `/applications?page=${page}&size=100`
}

import { CofferError } from '../../../shared/errors.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { z } from '../../../shared/zod.ts'
import type { PushTarget } from './push-request.ts'
import { fetchRemoteList } from './remote-list.ts'

/** The members compared. Other servers answer with more, and with null or nothing for empty ones. */
const compared = z.object({
  id: z.string(),
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

/** The applications a server already has; each matches one copy. */
export class RemoteApplications {
  readonly #remaining: { readonly id: string; readonly comparisonKey: string }[]

  private constructor(remote: readonly z.output<typeof compared>[]) {
    this.#remaining = remote.map((each) => ({ id: each.id, comparisonKey: toComparisonKey(each) }))
  }

  /** Asks the server. Throws `forbidden` if the key may not read applications, and what `listThere` throws. */
  static async fetchFrom(target: PushTarget): Promise<RemoteApplications> {
    const list = { path: '/applications', item: compared, permission: 'application:read' } as const
    const remote = await fetchRemoteList(target, list)
    if (!remote) throw new CofferError('unavailable', `${target.url} answers 404.`)
    return new RemoteApplications(remote)
  }

  /** Takes an application of the same name, type, permissions and rules; returns its id, or null if there is none. */
  takeMatch(application: Application): string | null {
    const key = toComparisonKey(application)
    const at = this.#remaining.findIndex((each) => each.comparisonKey === key)
    return at === -1 ? null : (this.#remaining.splice(at, 1)[0]?.id ?? null)
  }
}

/** Equal text for applications with the same name and rights, whatever the order of their members. */
function toComparisonKey({ name, type, permissions, rules }: Omit<z.output<typeof compared>, 'id'>): string {
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

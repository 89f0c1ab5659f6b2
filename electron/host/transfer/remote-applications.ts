import { CofferError } from '../../../shared/errors.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { z } from '../../../shared/zod.ts'
import type { PushTarget } from './push-request.ts'
import { fetchRemoteList } from './remote-list.ts'

/**
 * The compared members. Other servers may return further members, and may return null or omit a member that is empty.
 */
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

/** The applications that a server already has. Each is matched with at most one application of the vault. */
export class RemoteApplications {
  readonly #remaining: { readonly id: string; readonly comparisonKey: string }[]

  private constructor(remote: readonly z.output<typeof compared>[]) {
    this.#remaining = remote.map((each) => ({ id: each.id, comparisonKey: toComparisonKey(each) }))
  }

  /**
   * Fetches the applications from the server. Throws `forbidden` if the key may not read applications, and what
   * `fetchRemoteList` throws.
   */
  static async fetchFrom(target: PushTarget): Promise<RemoteApplications> {
    const list = { path: '/applications', item: compared, permission: 'application:read' } as const
    const remote = await fetchRemoteList(target, list)
    if (!remote) throw new CofferError('unavailable', `${target.url} responded with 404.`)
    return new RemoteApplications(remote)
  }

  /**
   * Finds an application of the same name, type, permissions and rules that has not been matched yet. Returns its id,
   * or null if there is none.
   */
  takeMatch(application: Application): string | null {
    const key = toComparisonKey(application)
    const at = this.#remaining.findIndex((each) => each.comparisonKey === key)
    return at === -1 ? null : (this.#remaining.splice(at, 1)[0]?.id ?? null)
  }
}

/**
 * Returns a string that is equal for applications with the same name, type, permissions and rules. The order of
 * permissions and rules does not matter.
 */
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

import { CofferError } from '../../../shared/errors.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { z } from '../../../shared/zod.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { createForbiddenCheck, type PushTarget, pushItem } from './push-request.ts'
import { fetchRemoteList } from './remote-list.ts'

/**
 * Creates the applications that a server lacks, without their keys. Returns the server's id of each application, except
 * of those that the server rejected. Throws `forbidden` if the key lacks a permission, and what `pushItem` throws.
 */
export async function pushApplications(
  all: readonly Application[],
  journal: PushJournal,
  target: PushTarget,
): Promise<Map<string, string>> {
  const remote = await RemoteApplications.fetchFrom(target)
  const check = createForbiddenCheck(1, createMissingPermissionError(target.url, 'application:create'))
  const before = new Set(journal.state.applications)
  const remoteIds = new Map<string, string>()
  const matchRemote = (application: Application): boolean => {
    const id = remote.takeMatch(application)
    if (id !== null) remoteIds.set(application.id, id)
    return id !== null
  }
  // Match earlier copies first, so that a second identical application is still copied.
  for (const application of all) if (before.has(application.id)) matchRemote(application)
  for (const application of all) {
    const { id } = application
    if (before.has(id)) continue
    if (matchRemote(application)) journal.state.applications_existing++
    else {
      const outcome = await pushItem(
        target,
        '/applications',
        journal.getIdempotencyKey('application', id),
        toApplicationBody(application),
      )
      check(outcome)
      if (outcome.as === 'created' && outcome.id !== undefined) remoteIds.set(id, outcome.id)
      journal.recordRefusal('application', id, outcome)
    }
    journal.state.applications.push(id)
    journal.save()
  }
  return remoteIds
}

function toApplicationBody({ name, type, permissions, rules, expires_at }: Application): object {
  return {
    name,
    type,
    permissions,
    rules,
    create_key: false,
    ...(expires_at !== undefined && { expires_at }),
  }
}

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
class RemoteApplications {
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

import type { Json } from '../../../shared/json.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { createForbiddenCheck, type PushTarget, pushItem } from './push-request.ts'
import { RemoteApplications } from './remote-applications.ts'

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

function toApplicationBody({ name, type, permissions, rules, expires_at }: Application): Json {
  return {
    name,
    type,
    permissions,
    rules: rules as Json,
    create_key: false,
    ...(expires_at !== undefined && { expires_at }),
  }
}

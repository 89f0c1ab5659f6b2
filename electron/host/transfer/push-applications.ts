import type { Json } from '../../../shared/json.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { ApplicationsThere } from './applications-there.ts'
import { missingPermission } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { type PushTarget, push, unlessAllForbidden } from './push-request.ts'

/**
 * Creates the applications that a server lacks, without their keys. Returns the id that each has there; those that the
 * server refused have none. Throws `forbidden` where the key lacks a permission, and what `push` throws.
 */
export async function pushApplications(
  all: readonly Application[],
  journal: PushJournal,
  target: PushTarget,
): Promise<Map<string, string>> {
  const there = await ApplicationsThere.of(target)
  const check = unlessAllForbidden(1, missingPermission(target.url, 'application:create'))
  const before = new Set(journal.state.applications)
  const idThere = new Map<string, string>()
  const isThere = (application: Application): boolean => {
    const id = there.take(application)
    if (id !== null) idThere.set(application.id, id)
    return id !== null
  }
  // Match earlier copies first, so that a second application like one of them is still copied.
  for (const application of all) if (before.has(application.id)) isThere(application)
  for (const application of all) {
    const { id } = application
    if (before.has(id)) continue
    if (isThere(application)) journal.state.applications_existing++
    else {
      const outcome = await push(
        target,
        '/applications',
        journal.onceFor('application', id),
        copyOf(application),
      )
      check(outcome)
      if (outcome.as === 'created' && outcome.id !== undefined) idThere.set(id, outcome.id)
      journal.noteRefusal('application', id, outcome)
    }
    journal.state.applications.push(id)
    journal.save()
  }
  return idThere
}

function copyOf({ name, type, permissions, rules, expires_at }: Application): Json {
  return {
    name,
    type,
    permissions,
    rules: rules as Json,
    create_key: false,
    ...(expires_at !== undefined && { expires_at }),
  }
}

import { randomUUID } from 'node:crypto'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import { countRowsBefore, toOffsetPage } from '../../../../shared/offset-page.ts'
import { Problems } from '../../../../shared/problems.ts'
import {
  type Application,
  application,
  applicationsQuery,
  applicationUpdate,
  newApplication,
} from '../../../../shared/schemas/application.ts'
import { nothing, offsetPage } from '../../../../shared/schemas/common.ts'
import { formatEventTime } from '../../../../shared/time.ts'
import { createPermissionError } from '../../access/access.ts'
import { getActorId, getCreatorId } from '../../access/actor.ts'
import { checkGrants } from '../../access/check-grants.ts'
import type { Context } from '../../pipeline/context.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId } from '../crud.ts'
import { createKey, queueKeyDeletedEvent } from './keys/create-key.ts'
import { warnIfNoManagementKey } from './keys/last-management-key.ts'
import { findKey } from './keys/store.ts'
import { toApplication, toApplications } from './present.ts'
import { storedApplications } from './require-application.ts'
import {
  type ApplicationRow,
  deleteApplication,
  findApplication,
  insertApplication,
  listApplications,
  updateApplication,
} from './store.ts'

/**
 * The maximum total length of the rules in one response, in characters of JSON. A longer page is rejected,
 * because a numbered page cannot end early (rule R-03).
 */
const MAX_RULES_LENGTH = 8 * 1024 * 1024

export const create = defineOperation({
  summary: 'Create an application',
  route: 'POST /applications',
  permission: 'application:create',
  entity: 'application',
  location: ({ id }) => `/applications/${id}`,
  input: newApplication,
  output: application,
  handler(context, input) {
    const { db, actor, now } = context
    const permissions = [...new Set(input.permissions ?? [])]
    const problems = new Problems()
    const expires = problems.attemptCheck(() =>
      input.expires_at === undefined ? null : parseExpiresAt(input.expires_at, now, 'expires_at'),
    )
    const rules = problems.concludeWith(() =>
      checkGrants({ holder: input.type, permissions, rules: input.rules ?? [] }),
    )
    const row: ApplicationRow = {
      id: randomUUID(),
      name: input.name,
      type: input.type,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      created_by: getActorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
      expires_at: expires?.at ?? null,
      expires_text: expires?.text ?? null,
    }
    insertApplication(db, row)
    context.queueEvent('application.created', () => ({ application: toEventData(row) }))
    context.setRecordEntity(row.id)
    const key = input.create_key === false ? null : createKey(context, row)
    const replayData: ApplicationReplay = {
      id: row.id,
      ...(key && { key: { id: key.answer.id, text: key.key } }),
    }
    context.storeReplay(replayData)
    return { ...toApplication(context, row), ...(key && { key: key.key }) }
  },
  replay: (context, replayData: ApplicationReplay) => presentCreatedApplication(context, replayData),
})

export const list = defineOperation({
  summary: 'List applications, newest first',
  route: 'GET /applications',
  permission: 'application:read',
  entity: 'application',
  input: applicationsQuery,
  output: offsetPage(application),
  handler(context, { id, type, page, size }) {
    const filter = { ids: id, types: type, now: context.now }
    const { rows, total } = listApplications(context.db, filter, size, countRowsBefore({ page, size }))
    if (rows.length > 1 && rows.reduce((sum, { rules }) => sum + rules.length, 0) > MAX_RULES_LENGTH) {
      throw createInvalidError(
        'size',
        'is too large: the rules of these applications exceed 8,388,608 characters of JSON; use a smaller size',
      )
    }
    return toOffsetPage(toApplications(context, rows), total, page, size)
  },
})

export const getByKey = defineOperation({
  summary: 'Get the application of the key in the header',
  route: 'GET /applications/key',
  permission: 'any-key',
  entity: 'application',
  input: nothing,
  output: application,
  handler(context) {
    const { actor, dialect } = context
    const own = getCreatorId(actor)
    if (own === null || actor.kind === 'owner' || actor.kind === 'cardholder')
      throw new CofferError('not_found', 'The owner is not an application.')
    if (dialect !== 'sdk' && !actor.permissions.includes('application:read'))
      throw createPermissionError(['application:read'])
    return toApplication(context, storedApplications.requireRow(context, own))
  },
})

export const get = defineOperation({
  summary: 'Get an application',
  route: 'GET /applications/{id}',
  permission: 'application:read',
  entity: 'application',
  input: byId,
  output: application,
  handler(context, { id }) {
    return toApplication(context, storedApplications.requireRow(context, id))
  },
})

export const update = defineOperation({
  summary: 'Replace the name, permissions and rules of an application',
  route: 'PUT /applications/{id}',
  permission: 'application:update',
  entity: 'application',
  input: applicationUpdate,
  output: application,
  handler(context, input) {
    const { db, actor, now } = context
    const before = storedApplications.requireRow(context, input.id)
    const permissions = [...new Set(input.permissions ?? [])]
    const rules = checkGrants({ holder: before.type, permissions, rules: input.rules ?? [] })
    const row: ApplicationRow = {
      ...before,
      name: input.name,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      modified_by: getActorId(actor),
      modified_at: now,
    }
    updateApplication(db, row)
    context.queueEvent('application.updated', () => ({
      application: { ...toEventData(row), modified_by: row.modified_by, modified_at: formatEventTime(now) },
    }))
    context.invalidateCaches()
    context.storeReplay(row.id)
    return toApplication(context, row)
  },
  replay: (context, id) => toApplication(context, storedApplications.requireAgain(context, id)),
})

export const remove = defineOperation({
  summary: 'Delete an application and its keys',
  route: 'DELETE /applications/{id}',
  permission: 'application:delete',
  entity: 'application',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    const row = storedApplications.requireRow(context, id)
    const keys = deleteApplication(context.db, row.id)
    context.queueEvent('application.deleted', () => ({ application: { id } }))
    for (const key_id of keys) queueKeyDeletedEvent(context, { id: key_id, application_id: id })
    warnIfNoManagementKey(context, row.type)
    context.invalidateCaches()
    return {}
  },
})

function toEventData(row: ApplicationRow): Record<string, Json> {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    permissions: JSON.parse(row.permissions) as Json,
    rules: JSON.parse(row.rules) as Json,
    created_by: row.created_by,
    created_at: formatEventTime(row.created_at),
  }
}

export const regenerate = defineOperation({
  summary: 'Removed: regenerate an application key',
  route: 'POST /applications/{id}/regenerate',
  permission: 'any-key',
  entity: 'application',
  effect: 'read',
  bodyless: true,
  always: 'gone',
  deprecated: { since: '2024-04-17', sunset: '2024-10-17', successor: '/applications/{id}/keys' },
  input: byId,
  output: nothing,
  handler() {
    throw new CofferError(
      'gone',
      'This operation was removed. Create a second application key with POST /applications/{id}/keys, move your clients to it, then delete the old one.',
    )
  },
})

/** The replay data of creating an application (rule A-12). It contains the key, which is stored nowhere else. */
type ApplicationReplay = {
  readonly id: string
  readonly key?: { readonly id: string; readonly text: string }
}

/**
 * Presents the current state of an application that an earlier request created, with its key. Throws `conflict` if the
 * application or the key has been deleted since.
 */
function presentCreatedApplication(context: Context, { id, key }: ApplicationReplay): Application {
  const { db, now } = context
  context.setRecordEntity(id)
  const row = findApplication(db, id, now)
  if (!row || (key && !findKey(db, id, key.id))) throw createDeletedSinceError()
  return { ...toApplication(context, row), ...(key && { key: key.text }) }
}

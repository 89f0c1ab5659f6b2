import { randomUUID } from 'node:crypto'
import { CofferError, invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { parseExpiresAt } from '../../../shared/moment.ts'
import { offsetOf, toOffsetPage } from '../../../shared/offset-page.ts'
import { applicationTypes } from '../../../shared/permissions.ts'
import { application, applicationUpdate, newApplication } from '../../../shared/schemas/application.ts'
import {
  documented,
  madeId,
  nothing,
  offsetPage,
  page,
  repeatable,
  size,
} from '../../../shared/schemas/common.ts'
import { eventTime } from '../../../shared/time.ts'
import { z } from '../../../shared/zod.ts'
import { actorId, creatorId } from '../access/actor.ts'
import { checkGrants } from '../access/check-grants.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { createKey, tellKeyDeleted } from './keys/create-key.ts'
import { lastManagementKeyWarning } from './keys/last-management-key.ts'
import { toApplication, toApplications } from './present.ts'
import { type KeptApplication, showCreated } from './replay.ts'
import { requireApplication } from './require-application.ts'
import {
  type ApplicationRow,
  deleteApplication,
  findApplication,
  insertApplication,
  listApplications,
  updateApplication,
} from './store.ts'

const one = z.strictObject({ id: madeId })

/** The most rules in one answer, in characters: a page with a number cannot end early (rule R-03). */
const MOST_RULES = 8 * 1024 * 1024

export const create = operation({
  summary: 'Create an application',
  route: 'POST /applications',
  permission: 'application:create',
  entity: 'application',
  effect: 'write',
  status: 201,
  location: ({ id }) => `/applications/${id}`,
  input: newApplication,
  output: application,
  handler(context, input) {
    const { db, actor, now } = context
    const permissions = [...new Set(input.permissions ?? [])]
    const rules = checkGrants({ holder: input.type, permissions, rules: input.rules ?? [] })
    const expires =
      input.expires_at === undefined ? null : parseExpiresAt(input.expires_at, now, 'expires_at')
    const row: ApplicationRow = {
      id: randomUUID(),
      name: input.name,
      type: input.type,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      created_by: actorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
      expires_at: expires?.at ?? null,
      expires_text: expires?.text ?? null,
    }
    insertApplication(db, row)
    context.tell('application.created', () => ({ application: toldOf(row) }))
    context.about(row.id)
    const key = input.create_key === false ? null : createKey(context, row)
    const kept: KeptApplication = { id: row.id, ...(key && { key: { id: key.answer.id, text: key.key } }) }
    context.keep(kept)
    return { ...toApplication(context, row), ...(key && { key: key.key }) }
  },
  replay: (context, kept: KeptApplication) => showCreated(context, kept),
})

export const list = operation({
  summary: 'List applications, newest first',
  route: 'GET /applications',
  permission: 'application:read',
  entity: 'application',
  effect: 'read',
  status: 200,
  input: z.strictObject({
    id: repeatable.pipe(z.array(madeId).optional()),
    type: documented(repeatable.pipe(z.array(z.enum(applicationTypes)).optional()), {
      type: 'array',
      items: { type: 'string', enum: applicationTypes },
    }),
    page,
    size,
  }),
  output: offsetPage(application),
  handler(context, { id, type, page, size }) {
    const filter = { ids: id, types: type, now: context.now }
    const { rows, total } = listApplications(context.db, filter, size, offsetOf({ page, size }))
    if (rows.length > 1 && rows.reduce((sum, { rules }) => sum + rules.length, 0) > MOST_RULES) {
      throw invalid('size', 'asks for more rules than one answer may hold; ask for fewer applications')
    }
    return toOffsetPage(toApplications(context, rows), total, page, size)
  },
})

export const getByKey = operation({
  summary: 'Get the application of the key in the header',
  route: 'GET /applications/key',
  permission: 'any-key',
  entity: 'application',
  effect: 'read',
  status: 200,
  input: nothing,
  output: application,
  handler(context) {
    const { actor, dialect } = context
    const own = creatorId(actor)
    if (own === null || actor.kind === 'owner' || actor.kind === 'cardholder')
      throw new CofferError('not_found', 'The owner is not an application.')
    if (dialect !== 'sdk' && !actor.permissions.includes('application:read')) {
      throw new CofferError('forbidden', 'This needs the permission application:read.', {
        missing: { permissions: ['application:read'] },
      })
    }
    return toApplication(context, requireApplication(context, own))
  },
})

export const get = operation({
  summary: 'Get an application',
  route: 'GET /applications/{id}',
  permission: 'application:read',
  entity: 'application',
  effect: 'read',
  status: 200,
  input: one,
  output: application,
  handler(context, { id }) {
    return toApplication(context, requireApplication(context, id))
  },
})

export const update = operation({
  summary: 'Update an application: name, permissions and rules are replaced',
  route: 'PUT /applications/{id}',
  permission: 'application:update',
  entity: 'application',
  effect: 'write',
  status: 200,
  input: applicationUpdate,
  output: application,
  handler(context, input) {
    const { db, actor, now } = context
    const before = requireApplication(context, input.id)
    const permissions = [...new Set(input.permissions ?? [])]
    const rules = checkGrants({ holder: before.type, permissions, rules: input.rules ?? [] })
    const row: ApplicationRow = {
      ...before,
      name: input.name,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      modified_by: actorId(actor),
      modified_at: now,
    }
    updateApplication(db, row)
    context.tell('application.updated', () => ({
      application: { ...toldOf(row), modified_by: row.modified_by, modified_at: eventTime(now) },
    }))
    context.forget()
    context.keep(row.id)
    return toApplication(context, row)
  },
  replay(context, id: string) {
    context.about(id)
    const row = findApplication(context.db, id, context.now)
    if (!row) throw goneSince()
    return toApplication(context, row)
  },
})

export const remove = operation({
  summary: 'Delete an application and its keys',
  route: 'DELETE /applications/{id}',
  permission: 'application:delete',
  entity: 'application',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    const row = requireApplication(context, id)
    const keys = deleteApplication(context.db, row.id)
    context.tell('application.deleted', () => ({ application: { id } }))
    for (const key_id of keys) tellKeyDeleted(context, { id: key_id, application_id: id })
    lastManagementKeyWarning(context, row.type)
    context.forget()
    return {}
  },
})

function toldOf(row: ApplicationRow): Record<string, Json> {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    permissions: JSON.parse(row.permissions) as Json,
    rules: JSON.parse(row.rules) as Json,
    created_by: row.created_by,
    created_at: eventTime(row.created_at),
  }
}

export const regenerate = operation({
  summary: 'Removed: regenerate an application key',
  route: 'POST /applications/{id}/regenerate',
  permission: 'any-key',
  entity: 'application',
  effect: 'read',
  status: 200,
  bodyless: true,
  always: 'gone',
  deprecated: { since: '2024-04-17', sunset: '2024-10-17', successor: '/applications/{id}/keys' },
  input: one,
  output: nothing,
  handler() {
    throw new CofferError(
      'gone',
      'Regenerating a key was removed. Create a second application key with POST /applications/{id}/keys, move your clients to it, then delete the old one.',
    )
  },
})

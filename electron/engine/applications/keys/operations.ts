import { CofferError } from '../../../../shared/errors.ts'
import { offsetOf, toOffsetPage } from '../../../../shared/offset-page.ts'
import { applicationKey, shownKey } from '../../../../shared/schemas/application.ts'
import { madeId, nothing, offsetPage, page, size } from '../../../../shared/schemas/common.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../door/context.ts'
import { goneSince } from '../../door/idempotency.ts'
import { operation } from '../../door/operation.ts'
import { requireApplication } from '../require-application.ts'
import { findApplication } from '../store.ts'
import { createKey, tellKeyDeleted, toKey } from './create-key.ts'
import { fixKey } from './fix-key.ts'
import { lastManagementKeyWarning } from './last-management-key.ts'
import { countKeys, deleteKey, findKey, type KeyRow, keepBoth, listKeys } from './store.ts'

const one = z.strictObject({ id: madeId, keyId: madeId })

/** What creating a key keeps (rule A-12); nothing else could show the key again. */
type Kept = { readonly application_id: string; readonly id: string; readonly key: string }

function requireKey(context: Context, application_id: string, id: string): KeyRow {
  requireApplication(context, application_id)
  context.about(id)
  context.concerns(application_id)
  const row = findKey(context.db, application_id, id)
  if (!row) throw new CofferError('not_found', 'There is no such application key.')
  return row
}

export const create = operation({
  summary: 'Create an application key; it is shown only once',
  route: 'POST /applications/{id}/keys',
  permission: 'application:create',
  entity: 'application_key',
  effect: 'write',
  status: 201,
  bodyless: true,
  refusals: ['unprocessable'],
  input: z.strictObject({ id: madeId }),
  output: applicationKey,
  handler(context, { id }) {
    const { key, answer } = createKey(context, requireApplication(context, id))
    context.about(answer.id)
    context.concerns(id)
    context.header('Location', `/applications/${id}/keys/${answer.id}`)
    const kept: Kept = { application_id: id, id: answer.id, key }
    context.keep(kept)
    return { ...answer, key }
  },
  replay(context, { application_id, id, key }: Kept) {
    const { db, now, tenant_id } = context
    context.about(id)
    const row = findApplication(db, application_id, now) && findKey(db, application_id, id)
    if (!row) throw goneSince()
    return { ...toKey(row, tenant_id), key }
  },
})

export const list = operation({
  summary: 'List the keys of an application, newest first',
  route: 'GET /applications/{id}/keys',
  permission: 'application:read',
  entity: 'application_key',
  effect: 'read',
  status: 200,
  input: z.strictObject({ id: madeId, page, size }),
  output: z.union([offsetPage(shownKey), z.array(shownKey)]),
  handler(context, { id, page, size }) {
    const { db, dialect, tenant_id } = context
    requireApplication(context, id)
    const rows = listKeys(db, id, size, offsetOf({ page, size }))
    const keys = rows.map((row) => toKey(row, tenant_id))
    // The SDKs read a bare array here (rule K-04).
    return dialect === 'sdk' ? keys : toOffsetPage(keys, countKeys(db, id), page, size)
  },
})

export const get = operation({
  summary: 'Get an application key',
  route: 'GET /applications/{id}/keys/{keyId}',
  permission: 'application:read',
  entity: 'application_key',
  effect: 'read',
  status: 200,
  input: one,
  output: shownKey,
  handler(context, { id, keyId }) {
    return toKey(requireKey(context, id, keyId), context.tenant_id)
  },
})

export const remove = operation({
  summary: 'Delete an application key; it fails from the next request on',
  route: 'DELETE /applications/{id}/keys/{keyId}',
  permission: 'application:delete',
  entity: 'application_key',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id, keyId }) {
    const row = requireKey(context, id, keyId)
    deleteKey(context.db, row)
    tellKeyDeleted(context, { id: row.id, application_id: id })
    context.forget()
    lastManagementKeyWarning(context, requireApplication(context, id).type)
    context.about(keyId)
    return {}
  },
})

const owners = { route: null, permission: 'owner', entity: 'application_key', effect: 'write' } as const

export const replace = operation({
  ...owners,
  summary: 'Begin rotating a key: a new one works alongside it until it is deleted',
  status: 201,
  input: one,
  output: applicationKey,
  handler(context, { id, keyId }) {
    const old = requireKey(context, id, keyId)
    const { key, answer } = createKey(context, requireApplication(context, id), old.id)
    context.about(answer.id)
    return { ...answer, key }
  },
})

export const keep = operation({
  ...owners,
  summary: 'End the rotation a key was created for, and keep both keys',
  status: 204,
  input: one,
  output: nothing,
  handler(context, input) {
    keepBoth(context.db, requireKey(context, input.id, input.keyId).id)
    return {}
  },
})

export const fix = operation({
  ...owners,
  summary: 'Give an application in a vault in memory a key chosen by the caller',
  status: 200,
  input: z.strictObject({ id: madeId, key: z.string() }),
  output: shownKey,
  handler(context, { id, key }) {
    // SECURITY: a key written in a file protects nothing, so it must not open a vault on disk.
    if (!context.ephemeral) throw new CofferError('forbidden', 'Only a vault in memory takes a fixed key.')
    const answer = fixKey(context, requireApplication(context, id), key)
    context.about(answer.id)
    context.concerns(id)
    return answer
  },
})

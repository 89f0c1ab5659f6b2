import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { sliceOffsetPage } from '../../../../../shared/offset-page.ts'
import {
  applicationKey,
  applicationKeysQuery,
  keySummary,
} from '../../../../../shared/schemas/application.ts'
import { createdId, nothing, offsetPage } from '../../../../../shared/schemas/common.ts'
import { z } from '../../../../../shared/zod.ts'
import { computeKeyDigest } from '../../../crypto/keyring.ts'
import type { Context } from '../../../pipeline/context.ts'
import { createDeletedSinceError } from '../../../pipeline/idempotency.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId, createMissingError } from '../../crud.ts'
import { findActorOfKey } from '../actors.ts'
import { storedApplications } from '../require-application.ts'
import { type ApplicationRow, findApplication } from '../store.ts'
import { createKey, queueKeyDeletedEvent, shortType, storeKey, toKey } from './create-key.ts'
import { warnIfNoManagementKey } from './last-management-key.ts'
import { deleteKey, endKeyRotation, findKey, type KeyRow, listKeysOfApplications } from './store.ts'

const one = z.strictObject({ id: createdId, keyId: createdId })

/** The replay data of creating a key (rule A-12). It contains the key, which is stored nowhere else. */
type KeyReplay = { readonly application_id: string; readonly id: string; readonly key: string }

function requireKey(context: Context, application_id: string, id: string): KeyRow {
  storedApplications.requireRow(context, application_id)
  context.setRecordEntity(id)
  context.setConcernedEntities(application_id)
  const row = findKey(context.db, application_id, id)
  if (!row) throw createMissingError('application key')
  return row
}

export const create = defineOperation({
  summary: 'Create an application key; it is shown only once',
  route: 'POST /applications/{id}/keys',
  permission: 'application:create',
  entity: 'application_key',
  status: 201,
  bodyless: true,
  refusals: ['unprocessable'],
  input: byId,
  output: applicationKey,
  handler(context, { id }) {
    const { key, answer } = createKey(context, storedApplications.requireRow(context, id))
    context.setRecordEntity(answer.id)
    context.setConcernedEntities(id)
    context.setHeader('Location', `/applications/${id}/keys/${answer.id}`)
    const replayData: KeyReplay = { application_id: id, id: answer.id, key }
    context.storeReplay(replayData)
    return { ...answer, key }
  },
  replay(context, { application_id, id, key }: KeyReplay) {
    const { db, now, tenant_id } = context
    context.setRecordEntity(id)
    const row = findApplication(db, application_id, now) && findKey(db, application_id, id)
    if (!row) throw createDeletedSinceError()
    return { ...toKey(row, tenant_id), key }
  },
})

export const list = defineOperation({
  summary: 'List the keys of an application, newest first',
  route: 'GET /applications/{id}/keys',
  permission: 'application:read',
  entity: 'application_key',
  queryNames: { id: 'key_id' },
  input: applicationKeysQuery,
  output: z.union([offsetPage(keySummary), z.array(keySummary)]),
  handler(context, { id, key_id, type, ...page }) {
    const application = storedApplications.requireRow(context, id)
    const rows = !type || type.includes(application.type) ? listKeysOfApplications(context.db, [id]) : []
    const found = key_id ? rows.filter((row) => key_id.includes(row.id)) : rows
    const keys = sliceOffsetPage(
      found.map((row) => toKey(row, context.tenant_id)),
      page,
    )
    // The SDKs read a bare array here (rule K-04).
    return context.dialect === 'sdk' ? keys.data : keys
  },
})

export const get = defineOperation({
  summary: 'Get an application key',
  route: 'GET /applications/{id}/keys/{keyId}',
  permission: 'application:read',
  entity: 'application_key',
  input: one,
  output: keySummary,
  handler(context, { id, keyId }) {
    return toKey(requireKey(context, id, keyId), context.tenant_id)
  },
})

export const remove = defineOperation({
  summary: 'Delete an application key; it stops working immediately',
  route: 'DELETE /applications/{id}/keys/{keyId}',
  permission: 'application:delete',
  entity: 'application_key',
  input: one,
  output: nothing,
  handler(context, { id, keyId }) {
    const row = requireKey(context, id, keyId)
    deleteKey(context.db, row, context.now)
    queueKeyDeletedEvent(context, { id: row.id, application_id: id })
    context.invalidateCaches()
    warnIfNoManagementKey(context, storedApplications.requireRow(context, id).type)
    context.setRecordEntity(keyId)
    return {}
  },
})

export const replace = defineOperation({
  summary: 'Start rotating a key: creates a new one, and both work until the old one is deleted',
  entity: 'application_key',
  effect: 'write',
  status: 201,
  input: one,
  output: applicationKey,
  handler(context, { id, keyId }) {
    const old = requireKey(context, id, keyId)
    const { key, answer } = createKey(context, storedApplications.requireRow(context, id), old.id)
    context.setRecordEntity(answer.id)
    return { ...answer, key }
  },
})

export const keep = defineOperation({
  summary: 'Cancel the rotation of a key and keep both keys',
  entity: 'application_key',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, input) {
    endKeyRotation(context.db, requireKey(context, input.id, input.keyId).id)
    return {}
  },
})

export const fix = defineOperation({
  summary: 'Set a key chosen by the caller for an application in an in-memory vault',
  entity: 'application_key',
  effect: 'write',
  input: z.strictObject({ id: createdId, key: z.string() }),
  output: keySummary,
  handler(context, { id, key }) {
    // SECURITY: a key written in a configuration file is not secret, so it must not give access to a vault on disk.
    if (!context.ephemeral) throw new CofferError('forbidden', 'A fixed key needs an in-memory vault.')
    const answer = storeFixedKey(context, storedApplications.requireRow(context, id), key)
    context.setRecordEntity(answer.id)
    context.setConcernedEntities(id)
    return answer
  },
})

/** Stores a key chosen by the caller. Throws `invalid` unless it follows rule A-03, and `conflict` if it is taken. */
function storeFixedKey(context: Context, application: ApplicationRow, key: string) {
  const prefix = `key_local_${shortType[application.type]}_`
  const secret = key.startsWith(prefix) ? key.slice(prefix.length) : ''
  if (!/^[A-Za-z0-9]{20,64}$/.test(secret)) {
    throw createInvalidError('key', `must be ${prefix} and 20 to 64 letters and digits`)
  }
  if (findActorOfKey(context.db, computeKeyDigest(key))) {
    throw new CofferError('conflict', 'Another application already has this key.')
  }
  return storeKey(context, application, key)
}

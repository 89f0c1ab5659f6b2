import { normalizeContainer } from '../../../../shared/containers.ts'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { cursorPage, nothing } from '../../../../shared/schemas/common.ts'
import { createdToken, newToken, token, tokenPatch } from '../../../../shared/schemas/token.ts'
import { tokenListQuery } from '../../../../shared/schemas/token-list.ts'
import { z } from '../../../../shared/zod.ts'
import { decodeBase58 } from '../../crypto/base58.ts'
import type { Context } from '../../pipeline/context.ts'
import { getEncrypted } from '../../pipeline/encrypted.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { toPairLookup } from './pairs.ts'
import { listPage } from './read/list.ts'
import { addExtras, toToken } from './read/present.ts'
import { requireToken, toSubject } from './read/require-token.ts'
import { queueTokenReadEvent, toTokenUpdatedEvent } from './read/token-events.ts'
import type { WalkFilter } from './read/walk.ts'
import { deleteToken, describeDeletedToken, updateToken } from './store.ts'
import { createToken } from './write/create.ts'
import { findDuplicate } from './write/duplicate.ts'
import { dropExpiredCvc } from './write/expire-cvcs.ts'
import { buildPatchedRow } from './write/patched-row.ts'
import {
  presentCreatedToken,
  presentDuplicate,
  presentUpdatedToken,
  type TokenReplay,
  type TokenUpdateReplay,
  toTokenReplay,
} from './write/replay.ts'

const one = z.strictObject({ id: z.string() })

export const create = defineOperation({
  summary: 'Create a token',
  route: 'POST /tokens',
  permission: 'token:create',
  entity: 'token',
  location: ({ id }) => `/tokens/${encodeURIComponent(id)}`,
  listEncrypted: getEncrypted,
  input: newToken,
  output: createdToken,
  handler(context, input) {
    const { token, replayData } = createToken(context, input)
    context.storeReplay(replayData, [replayData.id])
    return token
  },
  replay: (context, replayData: TokenReplay) => presentCreatedToken(context, replayData),
})

export const list = defineOperation({
  summary: 'List tokens, sorted by container and creation, newest first',
  route: 'GET /v2/tokens',
  permission: 'token:read',
  entity: 'token',
  input: tokenListQuery,
  output: cursorPage(token),
  handler(context, { container, start, size, ...filters }) {
    const scope = container === undefined ? undefined : normalizeContainer(container, 'container')
    return listPage(context, toWalkFilter(context, filters), { container: scope, start, size }, 'token:read')
  },
})

function toWalkFilter(
  { db, keyring }: Context,
  { type, fingerprint, metadata }: Pick<z.output<typeof tokenListQuery>, 'type' | 'fingerprint' | 'metadata'>,
): WalkFilter {
  const [pair, ...more] = metadata ?? []
  if ([type, fingerprint, pair].filter((each) => each !== undefined).length > 1 || more.length > 0) {
    throw new CofferError('invalid', 'Only container can be combined with another filter.', {
      errors: { query: ['takes at most one of type, fingerprint and metadata, in addition to container'] },
    })
  }
  if (type !== undefined) return { by: 'type', type }
  if (fingerprint !== undefined) {
    const bytes = decodeBase58(fingerprint)
    if (!bytes) throw createInvalidError('fingerprint', 'must be the fingerprint of a token')
    return { by: 'fingerprint', fingerprint: bytes }
  }
  if (!pair) return { by: 'all' }
  const [key, value] = pair
  return { by: 'metadata', key, value, pair: toPairLookup(db, keyring, key, value) }
}

export const get = defineOperation({
  summary: 'Get a token',
  route: 'GET /tokens/{id}',
  permission: 'token:read',
  entity: 'token',
  input: one,
  output: token,
  handler(context, { id }) {
    const row = requireToken(context, id)
    const { transform } = context.requireAccess('token:read', toSubject(row), 'any')
    queueTokenReadEvent(context, row)
    return toToken(context, row, transform)
  },
})

export const update = defineOperation({
  summary: 'Update a token with a merge patch',
  route: 'PATCH /tokens/{id}',
  permission: 'token:update',
  entity: 'token',
  input: tokenPatch,
  output: createdToken,
  handler(context, patch) {
    const stored = requireToken(context, patch.id)
    context.requireAccess('token:update', toSubject(stored), 'all')
    const before = dropExpiredCvc(context, stored)
    const { row, containers } = buildPatchedRow(context, before, patch)
    const grant = context.requireAccess('token:update', { id: row.id, containers }, 'all')
    // An update that leaves the fingerprint unchanged is stored even if the token already has a duplicate.
    const isChanged = before.fingerprint === null || row.fingerprint?.equals(before.fingerprint) === false
    const original = patch.deduplicate_token === true && isChanged && findDuplicate(context, row)
    if (original) {
      context.storeReplay({ token: toTokenReplay(before), original: original.id }, [before.id, original.id])
      return presentDuplicate(context, original)
    }
    updateToken(context, before, row)
    context.queueEvent('token.updated', () => toTokenUpdatedEvent(row))
    context.storeReplay({ token: toTokenReplay(row) }, [row.id])
    return addExtras(toToken(context, row, grant.transform), { deduplicated: false })
  },
  replay: (context, replayData: TokenUpdateReplay) => presentUpdatedToken(context, replayData),
})

export const remove = defineOperation({
  summary: 'Delete a token permanently',
  route: 'DELETE /tokens/{id}',
  permission: 'token:delete',
  entity: 'token',
  input: one,
  output: nothing,
  handler(context, { id }) {
    const row = requireToken(context, id)
    context.requireAccess('token:delete', toSubject(row), 'all')
    deleteToken(context, id)
    context.queueEvent('token.deleted', () => ({ token: { id } }))
    context.setRecordEntity(id, describeDeletedToken(row))
    return {}
  },
})

export const reveal = defineOperation({
  summary: 'Reveal the plaintext of a token to the owner; the log records it',
  entity: 'token',
  // Declared as a write, so that the log record is on disk before the plaintext is shown.
  effect: 'write',
  input: one,
  output: token,
  handler(context, { id }) {
    const row = requireToken(context, id)
    queueTokenReadEvent(context, row)
    return toToken(context, row, 'reveal')
  },
})

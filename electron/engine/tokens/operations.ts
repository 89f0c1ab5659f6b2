import { normalizeContainer } from '../../../shared/containers.ts'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { cursorPage, nothing } from '../../../shared/schemas/common.ts'
import { createdToken, newToken, token, tokenPatch } from '../../../shared/schemas/token.ts'
import { tokenListQuery } from '../../../shared/schemas/token-list.ts'
import { z } from '../../../shared/zod.ts'
import { fromBase58 } from '../crypto/base58.ts'
import type { Context } from '../door/context.ts'
import { encryptedIn } from '../door/encrypted.ts'
import { operation } from '../door/operation.ts'
import { pairOf } from './pairs.ts'
import { listPage } from './read/list.ts'
import { toToken } from './read/present.ts'
import { requireToken, subjectOf } from './read/require-token.ts'
import { tellRead, updatedToken } from './read/told.ts'
import type { Filter } from './read/walk.ts'
import { deleteToken, reference, updateToken } from './store.ts'
import { createToken } from './write/create.ts'
import { duplicateOf } from './write/duplicate.ts'
import { withoutExpiredCvc } from './write/expire-cvcs.ts'
import { patchedRow } from './write/patched-row.ts'
import {
  type KeptToken,
  type KeptUpdate,
  keptToken,
  showCreated,
  showDuplicate,
  showUpdated,
} from './write/replay.ts'

const one = z.strictObject({ id: z.string() })

export const create = operation({
  summary: 'Create a token',
  route: 'POST /tokens',
  permission: 'token:create',
  entity: 'token',
  effect: 'write',
  status: 201,
  location: ({ id }) => `/tokens/${encodeURIComponent(id)}`,
  encrypted: encryptedIn,
  input: newToken,
  output: createdToken,
  handler(context, input) {
    const { token, kept } = createToken(context, input)
    context.keep(kept, [kept.id])
    return token
  },
  replay: (context, kept: KeptToken) => showCreated(context, kept),
})

export const list = operation({
  summary: 'List tokens, sorted by container and creation, newest first',
  route: 'GET /v2/tokens',
  permission: 'token:read',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: tokenListQuery,
  output: cursorPage(token),
  handler(context, { container, start, size, ...filters }) {
    const scope = container === undefined ? undefined : normalizeContainer(container, 'container')
    return listPage(context, filterOf(context, filters), { container: scope, start, size }, 'token:read')
  },
})

function filterOf(
  { db, keyring }: Context,
  { type, fingerprint, metadata }: Pick<z.output<typeof tokenListQuery>, 'type' | 'fingerprint' | 'metadata'>,
): Filter {
  const [pair, ...more] = metadata ?? []
  if ([type, fingerprint, pair].filter((each) => each !== undefined).length > 1 || more.length > 0) {
    throw new CofferError('invalid', 'Only container can be combined with another filter.', {
      errors: { query: ['takes at most one of type, fingerprint and metadata, in addition to container'] },
    })
  }
  if (type !== undefined) return { by: 'type', type }
  if (fingerprint !== undefined) {
    const bytes = fromBase58(fingerprint)
    if (!bytes) throw invalid('fingerprint', 'must be the fingerprint of a token')
    return { by: 'fingerprint', fingerprint: bytes }
  }
  if (!pair) return { by: 'all' }
  const [key, value] = pair
  return { by: 'metadata', key, value, pair: pairOf(db, keyring, key, value) }
}

export const get = operation({
  summary: 'Get a token',
  route: 'GET /tokens/{id}',
  permission: 'token:read',
  entity: 'token',
  effect: 'read',
  status: 200,
  input: one,
  output: token,
  handler(context, { id }) {
    const row = requireToken(context, id)
    const { transform } = context.require('token:read', subjectOf(row), 'any')
    tellRead(context, row)
    return toToken(context, row, transform)
  },
})

export const update = operation({
  summary: 'Update a token with a merge patch',
  route: 'PATCH /tokens/{id}',
  permission: 'token:update',
  entity: 'token',
  effect: 'write',
  status: 200,
  input: tokenPatch,
  output: createdToken,
  handler(context, patch) {
    const stored = requireToken(context, patch.id)
    context.require('token:update', subjectOf(stored), 'all')
    const before = withoutExpiredCvc(context, stored)
    const { row, containers } = patchedRow(context, before, patch)
    const grant = context.require('token:update', { id: row.id, containers }, 'all')
    // What has a duplicate already, and what its fingerprint is made of as before, is to be stored all the same.
    const isAnother = before.fingerprint === null || row.fingerprint?.equals(before.fingerprint) === false
    const original = patch.deduplicate_token === true && isAnother && duplicateOf(context, row)
    if (original) {
      context.keep({ token: keptToken(before), original: original.id }, [before.id, original.id])
      return showDuplicate(context, original)
    }
    updateToken(context, before, row)
    context.tell('token.updated', () => updatedToken(row))
    context.keep({ token: keptToken(row) }, [row.id])
    return { ...toToken(context, row, grant.transform), _extras: { deduplicated: false } }
  },
  replay: (context, kept: KeptUpdate) => showUpdated(context, kept),
})

export const remove = operation({
  summary: 'Delete a token permanently',
  route: 'DELETE /tokens/{id}',
  permission: 'token:delete',
  entity: 'token',
  effect: 'write',
  status: 204,
  input: one,
  output: nothing,
  handler(context, { id }) {
    const row = requireToken(context, id)
    context.require('token:delete', subjectOf(row), 'all')
    deleteToken(context, id)
    context.tell('token.deleted', () => ({ token: { id } }))
    context.about(id, reference(row))
    return {}
  },
})

export const reveal = operation({
  summary: 'Reveal the plaintext of a token to the owner; the log records it',
  route: null,
  permission: 'owner',
  entity: 'token',
  // A write, so that the record is on disk before the plaintext is shown.
  effect: 'write',
  status: 200,
  input: one,
  output: token,
  handler(context, { id }) {
    const row = requireToken(context, id)
    tellRead(context, row)
    return toToken(context, row, 'reveal')
  },
})

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createInvalidError } from '../../../../shared/errors.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import { clientKey, createdClientKey, newClientKey } from '../../../../shared/schemas/client-key.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { assertBelow, byId, defineLookup } from '../crud.ts'
import { sealPrivateKey } from './private-half.ts'
import {
  type ClientKeyRow,
  deleteClientKey,
  findClientKey,
  insertClientKey,
  listClientKeys,
} from './store.ts'

const stored = defineLookup('client_key', findClientKey)

/** The default and maximum lifetime of a key. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000
/** The maximum number of keys, because all of them are listed in one response (rule R-03). */
const MAX_CLIENT_KEYS = 1000

export const create = defineOperation({
  summary: 'Create a client encryption key; the public key is returned only once',
  route: 'POST /keys',
  permission: 'keys:create',
  entity: 'client_key',
  bodyless: true,
  alsoAccepts: ['application/json-patch+json'],
  refusals: ['unprocessable'],
  location: ({ key_id }) => `/keys/${key_id}`,
  input: newClientKey,
  output: createdClientKey,
  handler(context, { expires_at }) {
    const { db, now } = context
    assertBelow(listClientKeys(db, now).length, MAX_CLIENT_KEYS, 'client encryption keys')
    const id = randomUUID()
    const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })
    const row: ClientKeyRow = {
      id,
      private: sealPrivateKey(context, id, d),
      public: Buffer.from(x, 'base64url'),
      created_at: now,
      expires_at: parseKeyExpiry(expires_at, now),
    }
    insertClientKey(db, row)
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toCreatedClientKey(row)
  },
  replay: (context, id) => toCreatedClientKey(stored.requireAgain(context, id)),
})

export const list = defineOperation({
  summary: 'List the client encryption keys, newest first',
  route: 'GET /keys',
  permission: 'keys:read',
  entity: 'client_key',
  input: z.strictObject({}),
  output: z.array(clientKey),
  handler({ db, now }) {
    return listClientKeys(db, now).map(toClientKey)
  },
})

export const get = defineOperation({
  summary: 'Get a client encryption key',
  route: 'GET /keys/{id}',
  permission: 'keys:read',
  entity: 'client_key',
  input: byId,
  output: clientKey,
  handler(context, { id }) {
    return toClientKey(stored.requireRow(context, id))
  },
})

export const remove = defineOperation({
  summary: 'Delete a client encryption key; data encrypted with it can no longer be read',
  route: 'DELETE /keys/{id}',
  permission: 'keys:delete',
  entity: 'client_key',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    deleteClientKey(context.db, stored.requireRow(context, id).id)
    return {}
  },
})

/** Returns when a new key expires. Throws `invalid` for a time in the past, or more than a year ahead. */
function parseKeyExpiry(expires_at: string | undefined, now: number): number {
  if (expires_at === undefined) return now + YEAR_MS
  const { at } = parseExpiresAt(expires_at, now, 'expires_at')
  // One day of tolerance for leap years.
  if (at > now + YEAR_MS + 24 * 60 * 60 * 1000)
    throw createInvalidError('expires_at', 'must be at most one year ahead')
  return at
}

function toClientKey({ id, expires_at }: ClientKeyRow) {
  return { key_id: id, expires_at: formatIsoTime(expires_at) }
}

/** Clients decode the base64 between the PEM lines to the raw 32-byte key. It is not an SPKI structure (rule C-01). */
function toCreatedClientKey(row: ClientKeyRow) {
  const armoured = `-----BEGIN PUBLIC KEY-----\n${row.public.toString('base64')}\n-----END PUBLIC KEY-----`
  return { ...toClientKey(row), public_key_pem: armoured }
}

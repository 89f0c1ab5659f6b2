import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { parseExpiresAt } from '../../../shared/moment.ts'
import { nothing } from '../../../shared/schemas/common.ts'
import { session, sessionAuthorization } from '../../../shared/schemas/session.ts'
import { eventTime, isoTime } from '../../../shared/time.ts'
import type { ApplicationActor } from '../access/actor.ts'
import { checkGrants } from '../access/check-grants.ts'
import { newKeyText } from '../applications/keys/create-key.ts'
import { randomBase62 } from '../crypto/base62.ts'
import { keyDigest } from '../crypto/keyring.ts'
import type { Context } from '../door/context.ts'
import { goneSince } from '../door/idempotency.ts'
import { operation } from '../door/operation.ts'
import { requireHeld } from './held.ts'
import {
  authorizeSession,
  findSession,
  findSessionByNonce,
  insertSession,
  replaceSecrets,
  requireToldSession,
  type ToldSession,
} from './store.ts'

const LIFE_MS = 3 * 60 * 1000

function newSecrets() {
  return { session_key: newKeyText('ses'), nonce: randomBase62(22) }
}

function requirePublic({ actor }: Context): string {
  if (actor.kind === 'application' && actor.type === 'public') return actor.id
  throw new CofferError('forbidden', 'A session is started with the key of a public application.')
}

function requirePrivate({ actor }: Context): ApplicationActor {
  if (actor.kind === 'application' && actor.type === 'private') return actor
  throw new CofferError('forbidden', 'A session is authorised with the key of a private application.')
}

function toldOf(row: ToldSession): Record<string, Json> {
  return {
    id: row.id,
    created_at: eventTime(row.created_at),
    created_by: row.application_id,
    expires_at: eventTime(row.expires_at),
    issued_to_application: { id: row.application_id, name: row.application_name },
  }
}

export const create = operation({
  summary: 'Start a session with a public key; it has no access until it is authorised',
  route: 'POST /sessions',
  permission: 'any-key',
  entity: 'session',
  effect: 'write',
  status: 201,
  bodyless: true,
  input: nothing,
  output: session,
  handler(context) {
    const { db, now } = context
    const application_id = requirePublic(context)
    const id = randomUUID()
    const { session_key, nonce } = newSecrets()
    const expires_at = now + LIFE_MS
    insertSession(db, {
      id,
      digest: keyDigest(session_key),
      nonce: keyDigest(nonce),
      application_id,
      created_at: now,
      expires_at,
    })
    context.tell('session.created', () => ({
      session: toldOf(requireToldSession(db, id)),
    }))
    context.about(id)
    context.header('Location', `/sessions/${id}`)
    context.keep(id)
    return { session_key, nonce, expires_at: isoTime(expires_at) }
  },
  /**
   * SECURITY: everyone with the public key is the same application. A repeated request gets a new key and nonce for the
   * session, and the earlier ones stop working, so that no two browsers share a session.
   */
  replay(context, id: string) {
    const { db, now } = context
    context.about(id)
    const found = findSession(db, id, now)
    if (!found) throw goneSince()
    if (found.authorized_by !== null) {
      throw new CofferError(
        'conflict',
        'The session that this idempotency key started has since been authorised, and its key is not shown again. Start another session with a different idempotency key.',
      )
    }
    const { session_key, nonce } = newSecrets()
    replaceSecrets(db, { id, digest: keyDigest(session_key), nonce: keyDigest(nonce) })
    context.forget()
    return { session_key, nonce, expires_at: isoTime(found.expires_at) }
  },
})

export const authorize = operation({
  summary:
    'Authorise a session with permissions or rules, at most those of the private application that asks',
  route: 'POST /sessions/authorize',
  permission: 'any-key',
  entity: 'session',
  effect: 'write',
  status: 200,
  refusals: ['not_found'],
  input: sessionAuthorization,
  output: nothing,
  handler(context, input) {
    const { db, now } = context
    const actor = requirePrivate(context)
    const permissions = [...new Set(input.permissions ?? [])]
    const rules = checkGrants({ holder: 'session', permissions, rules: input.rules ?? [] })
    requireHeld(actor, permissions, rules)
    const found = findSessionByNonce(db, keyDigest(input.nonce), now)
    if (!found) throw new CofferError('not_found', 'There is no session with this nonce, or it has expired.')
    context.about(found.id)
    if (found.authorized_by !== null) throw new CofferError('conflict', 'This nonce has already been used.')
    const expires_at =
      input.expires_at === undefined
        ? found.expires_at
        : parseExpiresAt(input.expires_at, now, 'expires_at').at
    authorizeSession(db, {
      id: found.id,
      authorized_by: actor.id,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      expires_at,
    })
    context.tell('session.authorized', () => ({
      session: { ...toldOf(requireToldSession(db, found.id)), permissions, rules: rules as unknown as Json },
    }))
    context.forget()
    context.keep(found.id)
    return {}
  },
  replay(context, id: string) {
    const { db, now } = context
    context.about(id)
    const found = findSession(db, id, now)
    if (!found) throw goneSince()
    requireHeld(requirePrivate(context), JSON.parse(found.permissions), JSON.parse(found.rules))
    return {}
  },
})

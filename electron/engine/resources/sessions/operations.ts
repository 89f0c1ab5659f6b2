import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import { Problems } from '../../../../shared/problems.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import { session, sessionAuthorization } from '../../../../shared/schemas/session.ts'
import { formatEventTime, formatIsoTime } from '../../../../shared/time.ts'
import { describeExcess, hasPermission } from '../../access/access.ts'
import type { ApplicationActor } from '../../access/actor.ts'
import { checkGrants } from '../../access/check-grants.ts'
import { generateBase62 } from '../../crypto/base62.ts'
import { computeKeyDigest } from '../../crypto/keyring.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { newKeyText } from '../applications/keys/create-key.ts'
import { defineLookup } from '../crud.ts'
import {
  authorizeSession,
  findSession,
  findSessionByNonce,
  getSessionEventRow,
  insertSession,
  replaceSecrets,
  type SessionEventRow,
} from './store.ts'

const SESSION_LIFETIME_MS = 3 * 60 * 1000

function newSecrets() {
  return { session_key: newKeyText('ses'), nonce: generateBase62(22) }
}

function requirePublicApplication({ actor }: Context): string {
  if (actor.kind === 'application' && actor.type === 'public') return actor.id
  throw new CofferError('forbidden', 'Only a public application can start a session. Use its key.')
}

function requirePrivateApplication({ actor }: Context): ApplicationActor {
  if (actor.kind === 'application' && actor.type === 'private') return actor
  throw new CofferError('forbidden', 'Only a private application can authorize a session. Use its key.')
}

function toEventData(row: SessionEventRow): Record<string, Json> {
  return {
    id: row.id,
    created_at: formatEventTime(row.created_at),
    created_by: row.application_id,
    expires_at: formatEventTime(row.expires_at),
    issued_to_application: { id: row.application_id, name: row.application_name },
  }
}

const sessions = defineLookup('session', findSession)

export const create = defineOperation({
  summary: 'Start a session with a public key; it has no access until it is authorized',
  route: 'POST /sessions',
  permission: 'any-key',
  entity: 'session',
  status: 201,
  bodyless: true,
  input: nothing,
  output: session,
  handler(context) {
    const { db, now } = context
    const application_id = requirePublicApplication(context)
    const id = randomUUID()
    const { session_key, nonce } = newSecrets()
    const expires_at = now + SESSION_LIFETIME_MS
    insertSession(db, {
      id,
      digest: computeKeyDigest(session_key),
      nonce: computeKeyDigest(nonce),
      application_id,
      created_at: now,
      expires_at,
    })
    context.queueEvent('session.created', () => ({ session: toEventData(getSessionEventRow(db, id)) }))
    context.setRecordEntity(id)
    context.setHeader('Location', `/sessions/${id}`)
    context.storeReplay(id)
    return { session_key, nonce, expires_at: formatIsoTime(expires_at) }
  },
  /**
   * SECURITY: everyone with the public key is the same application to Coffer. A repeated request therefore gets a new
   * key and nonce for the session, and the earlier ones become invalid, so that two browsers never share a session.
   */
  replay(context, id: string) {
    const stored = sessions.requireAgain(context, id)
    if (stored.authorized_by !== null) {
      throw new CofferError(
        'conflict',
        'The session that was started with this idempotency key has since been authorized, so its key is not shown again. Start another session with a different idempotency key.',
      )
    }
    const { session_key, nonce } = newSecrets()
    replaceSecrets(context.db, { id, digest: computeKeyDigest(session_key), nonce: computeKeyDigest(nonce) })
    context.invalidateCaches()
    return { session_key, nonce, expires_at: formatIsoTime(stored.expires_at) }
  },
})

export const authorize = defineOperation({
  summary: 'Authorize a session with permissions or rules, at most those of the calling private application',
  route: 'POST /sessions/authorize',
  permission: 'any-key',
  entity: 'session',
  refusals: ['not_found'],
  notice: 'What the application of the session may not do itself, so that the session cannot do it either',
  input: sessionAuthorization,
  output: nothing,
  handler(context, input) {
    const { db, now } = context
    const actor = requirePrivateApplication(context)
    const permissions = [...new Set(input.permissions ?? [])]
    const problems = new Problems()
    const expires = problems.attemptCheck(() =>
      input.expires_at === undefined ? undefined : parseExpiresAt(input.expires_at, now, 'expires_at'),
    )
    const rules = problems.concludeWith(() =>
      checkGrants({ holder: 'session', permissions, rules: input.rules ?? [] }),
    )
    requireHeldPermissions(actor, permissions, rules)
    const stored = findSessionByNonce(db, computeKeyDigest(input.nonce), now)
    if (!stored) throw new CofferError('not_found', 'There is no session with this nonce, or it has expired.')
    const excess = describeExcess(actor, rules)
    context.setRecordEntity(stored.id, excess || undefined)
    if (excess) context.setHeader('Coffer-Notice', excess)
    if (stored.authorized_by !== null) throw new CofferError('conflict', 'This nonce has already been used.')
    const expires_at = expires?.at ?? stored.expires_at
    authorizeSession(db, {
      id: stored.id,
      authorized_by: actor.id,
      permissions: JSON.stringify(permissions),
      rules: JSON.stringify(rules),
      expires_at,
    })
    context.queueEvent('session.authorized', () => ({
      session: { ...toEventData(getSessionEventRow(db, stored.id)), permissions, rules: rules as Json },
    }))
    context.invalidateCaches()
    context.storeReplay(stored.id)
    return {}
  },
  replay(context, id: string) {
    const stored = sessions.requireAgain(context, id)
    requireHeldPermissions(
      requirePrivateApplication(context),
      JSON.parse(stored.permissions),
      JSON.parse(stored.rules),
    )
    return {}
  },
})

/**
 * Throws `forbidden` for a permission that the authorizing application does not hold on any container, because the
 * session could never use it (rule O-04). The containers on which the other permissions apply are determined at each
 * use, from the application's access at that time.
 */
function requireHeldPermissions(
  authorizer: ApplicationActor,
  permissions: readonly Permission[],
  rules: readonly AccessRule[],
): void {
  const requested = [...permissions, ...rules.flatMap((rule) => rule.permissions)]
  const missing = [...new Set(requested)].filter((permission) => !hasPermission(authorizer, permission))
  if (missing.length === 0) return
  throw new CofferError(
    'forbidden',
    `A session can only have permissions that the authorizing application holds. The application does not hold ${missing.join(', ')}.`,
  )
}

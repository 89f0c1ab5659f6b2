import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import { nothing } from '../../../shared/schemas/common.ts'
import { session, sessionAuthorization } from '../../../shared/schemas/session.ts'
import { isoTime } from '../../../shared/time.ts'
import { checkGrants } from '../access/check-grants.ts'
import { randomBase62 } from '../crypto/base62.ts'
import { keyDigest } from '../crypto/keyring.ts'
import { newKeyText } from '../keys/create-key.ts'
import { operation } from '../operation.ts'
import { parseExpiresAt } from '../tokens/expires-at.ts'
import { requireHeld } from './held.ts'
import { authorizeSession, findSessionByNonce, insertSession } from './store.ts'

const LIFE_MS = 3 * 60 * 1000

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
  handler({ db, actor, now, about, header }) {
    if (actor.kind !== 'application' || actor.type !== 'public') {
      throw new CofferError('forbidden', 'A session is started with the key of a public application.')
    }
    const id = randomUUID()
    const session_key = newKeyText('ses')
    const nonce = randomBase62(22)
    const expires_at = now + LIFE_MS
    insertSession(db, {
      id,
      digest: keyDigest(session_key),
      nonce: keyDigest(nonce),
      application_id: actor.id,
      created_at: now,
      expires_at,
    })
    about(id)
    header('Location', `/sessions/${id}`)
    return { session_key, nonce, expires_at: isoTime(expires_at) }
  },
})

export const authorize = operation({
  summary: 'Give a session permissions or rules, at most those of the private application that asks',
  route: 'POST /sessions/authorize',
  permission: 'any-key',
  entity: 'session',
  effect: 'write',
  status: 200,
  refusals: ['not_found'],
  input: sessionAuthorization,
  output: nothing,
  handler({ db, actor, now, about, forget }, input) {
    if (actor.kind !== 'application' || actor.type !== 'private') {
      throw new CofferError('forbidden', 'A session is authorised with the key of a private application.')
    }
    const permissions = [...new Set(input.permissions ?? [])]
    const rules = checkGrants({ holder: 'session', permissions, rules: input.rules ?? [] })
    requireHeld(actor, permissions, rules)
    const found = findSessionByNonce(db, keyDigest(input.nonce), now)
    if (!found) throw new CofferError('not_found', 'There is no session with this nonce, or it has expired.')
    about(found.id)
    if (found.authorized_by !== null) throw new CofferError('conflict', 'This nonce has been used.')
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
    forget()
    return {}
  },
})

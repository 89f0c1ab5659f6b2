import { randomUUID } from 'node:crypto'
import { createInvalidError } from '../../../../shared/errors.ts'
import {
  authenticateSession,
  createdThreeDsSession,
  newThreeDsSession,
  threeDsAuthentication,
  threeDsSession,
} from '../../../../shared/schemas/three-ds.ts'
import { getCreatorId } from '../../access/actor.ts'
import { createDeletedSinceError } from '../../pipeline/idempotency.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineLookup } from '../crud.ts'
import { authenticateThreeDs as authenticated, requireThreeDs, SESSION_LIFETIME_MS } from './authenticate.ts'
import { readIntentCard, readTokenCard } from './card.ts'
import { openContent, sealContent, type ThreeDsContent } from './content.ts'
import { toAuthentication, toCreatedSession, toSession } from './present.ts'
import { requireForSession } from './requirements.ts'
import { findThreeDs, insertThreeDs, type ThreeDsRow } from './store.ts'
import { toSessionEventData } from './three-ds-events.ts'

const stored = defineLookup('three_ds_session', findThreeDs)

export const create = defineOperation({
  summary: 'Start a 3D Secure session for the card of a token or a token intent',
  route: 'POST /3ds/sessions',
  permission: '3ds:session:create',
  entity: 'three_ds_session',
  location: ({ id }) => `/3ds/sessions/${id}`,
  input: newThreeDsSession,
  output: createdThreeDsSession,
  handler(context, input) {
    requireForSession(input)
    const { token_id = input.pan, token_intent_id } = input
    const card =
      token_id === undefined
        ? readIntentCard(context, token_intent_id ?? '')
        : readTokenCard(context, token_id, input.pan === undefined ? 'token_id' : 'pan')
    const { type = 'customer', device, device_info, web_challenge_mode, callback_urls, metadata } = input
    const content: ThreeDsContent = {
      type,
      token_id: token_id ?? null,
      token_intent_id: token_id === undefined ? (token_intent_id ?? null) : null,
      ...card,
      device: type === 'merchant' ? null : (device ?? null),
      device_info: device_info ?? null,
      web_challenge_mode: web_challenge_mode ?? null,
      base_url: context.base_url,
      redirect: callback_urls ? { success: callback_urls.success, failure: callback_urls.failure } : null,
      request: input.authentication_request ?? null,
      metadata: metadata ?? null,
      method_completed: false,
      authenticated: null,
    }
    const id = randomUUID()
    const row: ThreeDsRow = {
      id,
      acs_transaction_id: randomUUID(),
      content: sealContent(context, id, content),
      created_by: getCreatorId(context.actor),
      created_at: context.now,
      modified_by: null,
      modified_at: null,
      expires_at: context.now + SESSION_LIFETIME_MS,
    }
    insertThreeDs(context.db, row)
    context.queueEvent('3ds.session.created', () => ({
      session: toSessionEventData(context, { row, content }, 'whole'),
    }))
    context.setRecordEntity(id)
    context.storeReplay(id)
    return toCreatedSession({ row, content })
  },
  replay(context, id: string) {
    const row = stored.requireAgain(context, id)
    return toCreatedSession({ row, content: openContent(context, row) })
  },
})

export const get = defineOperation({
  summary: 'Get a 3D Secure session',
  route: 'GET /3ds/sessions/{id}',
  permission: '3ds:session:read',
  entity: 'three_ds_session',
  input: byId,
  output: threeDsSession,
  handler(context, { id }) {
    return toSession(context, requireThreeDs(context, id))
  },
})

export const authenticate = defineOperation({
  summary: 'Authenticate a 3D Secure session; the card number determines the result',
  route: 'POST /3ds/sessions/{id}/authenticate',
  permission: '3ds:session:authenticate',
  entity: 'three_ds_session',
  refusals: ['three_ds_failed'],
  input: authenticateSession,
  output: threeDsAuthentication,
  handler(context, { id, ...request }) {
    const opened = authenticated(context, requireThreeDs(context, id), request)
    context.storeReplay(id)
    return toAuthentication(context, opened, opened.authenticated)
  },
  replay(context, id: string) {
    const row = stored.requireAgain(context, id)
    const content = openContent(context, row)
    if (!content.authenticated) throw createDeletedSinceError()
    return toAuthentication(context, { row, content }, content.authenticated)
  },
})

export const getChallengeResult = defineOperation({
  summary: 'Get the result of a 3D Secure challenge; its status is `challenge` while pending',
  route: 'GET /3ds/sessions/{id}/challenge-result',
  permission: '3ds:session:authenticate',
  entity: 'three_ds_session',
  input: byId,
  output: threeDsAuthentication,
  handler(context, { id }) {
    const opened = requireThreeDs(context, id)
    const { authenticated } = opened.content
    if (!authenticated) throw createInvalidError('id', 'names a session that has not been authenticated')
    context.queueEvent('3ds.session.challenge-result-retrieved', () => ({
      session: toSessionEventData(context, opened, 'whole'),
    }))
    return toAuthentication(context, opened, authenticated)
  },
})

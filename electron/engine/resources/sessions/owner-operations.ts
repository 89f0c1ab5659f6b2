import { type Filter, matchesFilter } from '../../../../shared/conditions.ts'
import { filteredQuery, nothing, ownerPage } from '../../../../shared/schemas/common.ts'
import {
  type OwnerSession,
  ownerSession,
  type SessionField,
  sessionFields,
} from '../../../../shared/schemas/session.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineLookup, readFilteredPage } from '../crud.ts'
import { countSessions, deleteSession, findOwnerSession, listSessions, type SessionRow } from './store.ts'

const sessions = defineLookup('session', findOwnerSession)

export const list = defineOperation({
  summary: 'List the sessions that have not expired, newest first',
  entity: 'session',
  input: filteredQuery(sessionFields),
  output: ownerPage(ownerSession),
  handler(context, { where = [], q = '', ...page }) {
    const { db, now } = context
    const shown = readFilteredPage(
      context,
      page,
      JSON.stringify(['sessions', where, q]),
      (limit, before) => listSessions(db, now, limit, before),
      (row) => (matchesSession({ conditions: where, words: q }, row) ? toOwnerSession(row) : null),
    )
    return { ...shown, total: countSessions(db, now) }
  },
})

/** `app` is the application that started a session, or the one that authorized it. */
function matchesSession(filter: Filter<SessionField>, row: SessionRow): boolean {
  const { id, application_id, authorized_by } = row
  const values = {
    state: [authorized_by === null ? 'waiting' : 'authorized'],
    app: [application_id, authorized_by ?? undefined],
    id: [id],
  }
  return matchesFilter(filter, (field) => values[field], [id])
}

export const describe = defineOperation({
  summary: 'Describe a session to the owner',
  entity: 'session',
  input: byId,
  output: ownerSession,
  handler: (context, { id }) => toOwnerSession(sessions.requireRow(context, id)),
})

export const remove = defineOperation({
  summary: 'End a session before it expires',
  entity: 'session',
  effect: 'write',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    sessions.requireRow(context, id)
    deleteSession(context.db, id)
    context.invalidateCaches()
    return {}
  },
})

function toOwnerSession(row: SessionRow): OwnerSession {
  return {
    id: row.id,
    application_id: row.application_id,
    ...(row.authorized_by !== null && { authorized_by: row.authorized_by }),
    permissions: JSON.parse(row.permissions),
    rules: JSON.parse(row.rules),
    created_at: formatIsoTime(row.created_at),
    expires_at: formatIsoTime(row.expires_at),
  }
}

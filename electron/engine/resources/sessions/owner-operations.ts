import { createdId, nothing, ownerPage, size, start } from '../../../../shared/schemas/common.ts'
import { type OwnerSession, ownerSession } from '../../../../shared/schemas/session.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineLookup, readFilteredPage } from '../crud.ts'
import { countSessions, deleteSession, findOwnerSession, listSessions, type SessionRow } from './store.ts'

const sessions = defineLookup('session', findOwnerSession)

export const list = defineOperation({
  summary: 'List the sessions that have not expired, newest first',
  entity: 'session',
  input: z.strictObject({
    is_authorized: z.boolean().optional(),
    /** The application that started or authorized the sessions. */
    application_id: createdId.optional(),
    start,
    size,
  }),
  output: ownerPage(ownerSession),
  handler(context, { is_authorized, application_id, ...page }) {
    const { db, now } = context
    const shown = readFilteredPage(
      context,
      page,
      'sessions',
      (limit, before) => listSessions(db, now, limit, before),
      (row) => {
        const isOfState = is_authorized === undefined || (row.authorized_by !== null) === is_authorized
        const isBy =
          application_id === undefined || [row.application_id, row.authorized_by].includes(application_id)
        return isOfState && isBy ? toOwnerSession(row) : null
      },
    )
    return { ...shown, total: countSessions(db, now) }
  },
})

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

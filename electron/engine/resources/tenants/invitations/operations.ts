import { randomUUID } from 'node:crypto'
import { nothing, offsetPage } from '../../../../../shared/schemas/common.ts'
import { invitation, invitationsQuery, newInvitation } from '../../../../../shared/schemas/member.ts'
import { formatEventTime, formatIsoTime } from '../../../../../shared/time.ts'
import type { z } from '../../../../../shared/zod.ts'
import { getCreatorId } from '../../../access/actor.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { assertBelow, byId, defineResource, readOffsetPage } from '../../crud.ts'
import {
  countInvitations,
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  renewInvitation,
} from './store.ts'

const stored = defineResource('invitation', findInvitation, toInvitation)

const INVITATION_LIFETIME_MS = 72 * 60 * 60 * 1000
const MAX_INVITATIONS = 1000

export const create = defineOperation({
  summary: 'Create an invitation for 72 hours; Coffer sends no email, and nobody can accept it',
  route: 'POST /tenants/self/invitations',
  permission: 'tenant:invitation:create',
  entity: 'invitation',
  refusals: ['unprocessable'],
  location: ({ id }) => `/tenants/self/invitations/${id}`,
  input: newInvitation,
  output: invitation,
  handler(context, { email, role = 'ADMIN' }) {
    const { db, actor, now } = context
    assertBelow(
      countInvitations(db, { status: null, now }),
      MAX_INVITATIONS,
      'invitations, including expired ones',
    )
    const row: InvitationRow = {
      id: randomUUID(),
      email,
      role,
      expires_at: now + INVITATION_LIFETIME_MS,
      created_by: getCreatorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    }
    insertInvitation(db, row)
    context.setRecordEntity(row.id)
    context.queueEvent('tenant.invitation.created', () => toEventData(row))
    context.storeReplay(row.id)
    return toInvitation(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List invitations, including expired ones, newest first',
  route: 'GET /tenants/self/invitations',
  permission: 'tenant:invitation:read',
  entity: 'invitation',
  input: invitationsQuery,
  output: offsetPage(invitation),
  handler(context, { status = null, ...at }) {
    const filter = { status, now: context.now }
    return readOffsetPage(
      at,
      (limit, offset) => listInvitations(context.db, filter, limit, offset),
      (row) => toInvitation(context, row),
    )
  },
})

export const get = defineOperation({
  summary: 'Get an invitation',
  route: 'GET /tenants/self/invitations/{id}',
  permission: 'tenant:invitation:read',
  entity: 'invitation',
  input: byId,
  output: invitation,
  handler: stored.get,
})

export const resend = defineOperation({
  summary: 'Renew an invitation for 72 hours from now; Coffer sends no email',
  route: 'POST /tenants/self/invitations/{id}/resend',
  permission: ['tenant:invitation:create', 'tenant:invitation:update'],
  entity: 'invitation',
  bodyless: true,
  input: byId,
  output: invitation,
  handler(context, { id }) {
    const { db, actor, now } = context
    const row = {
      ...stored.requireRow(context, id),
      expires_at: now + INVITATION_LIFETIME_MS,
      modified_by: getCreatorId(actor),
      modified_at: now,
    }
    renewInvitation(db, row)
    context.queueEvent('tenant.invitation.resent', () => toEventData(row))
    context.storeReplay(id)
    return toInvitation(context, row)
  },
  replay: stored.replay,
})

export const remove = defineOperation({
  summary: 'Delete an invitation',
  route: 'DELETE /tenants/self/invitations/{id}',
  permission: 'tenant:invitation:delete',
  entity: 'invitation',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    deleteInvitation(context.db, id)
    context.queueEvent('tenant.invitation.deleted', () => toEventData(row))
    return {}
  },
})

function toInvitation({ tenant_id, now }: Context, row: InvitationRow): z.input<typeof invitation> {
  return {
    id: row.id,
    tenant_id,
    email: row.email,
    role: row.role,
    status: row.expires_at > now ? 'PENDING' : 'EXPIRED',
    expires_at: formatIsoTime(row.expires_at),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}

function toEventData({ id, email, role, expires_at, created_at, created_by }: InvitationRow) {
  const times = { expires_at: formatEventTime(expires_at), created_at: formatEventTime(created_at) }
  return { invitation: { id, email, role, ...times, created_by } }
}

import { CofferError } from '../../../../../shared/errors.ts'
import { countRowsBefore, toOffsetPage } from '../../../../../shared/offset-page.ts'
import { createdId, nothing, offsetPage } from '../../../../../shared/schemas/common.ts'
import { member, membersQuery, memberUpdate, newOwner } from '../../../../../shared/schemas/member.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { requireMember, toOwnerMember } from './owner.ts'

export const list = defineOperation({
  summary: 'List the members of the tenant; the owner is the only one',
  route: 'GET /tenants/self/members',
  permission: 'tenant:member:read',
  entity: 'tenant',
  input: membersQuery,
  output: offsetPage(member),
  handler(context, { user_id, page, size }) {
    const owner = toOwnerMember(context)
    const isRequested = user_id === undefined || user_id.some((id) => id.toLowerCase() === owner.user.id)
    const all = isRequested ? [owner] : []
    const before = countRowsBefore({ page, size })
    return toOffsetPage(all.slice(before, before + size), all.length, page, size)
  },
})

export const update = defineOperation({
  summary: 'Change the role of a member; the role of the owner cannot change',
  route: 'PUT /tenants/self/members/{id}',
  permission: 'tenant:member:update',
  entity: 'tenant',
  effect: 'read',
  refusals: ['unprocessable'],
  input: memberUpdate,
  output: member,
  handler(context, { id, role }) {
    requireMember(context, id)
    if (role !== 'OWNER') {
      throw new CofferError(
        'unprocessable',
        'The owner is the only member of a vault, and the role OWNER cannot be changed.',
      )
    }
    return toOwnerMember(context)
  },
})

export const remove = defineOperation({
  summary: 'Remove a member; the owner cannot be removed',
  route: 'DELETE /tenants/self/members/{id}',
  permission: 'tenant:member:delete',
  entity: 'tenant',
  effect: 'read',
  always: 'unprocessable',
  refusals: ['not_found'],
  input: z.strictObject({ id: createdId }),
  output: nothing,
  handler(context, { id }) {
    requireMember(context, id)
    throw new CofferError('unprocessable', 'The owner is the only member of a vault and cannot be removed.')
  },
})

export const getOwner = defineOperation({
  summary: 'Get the owner of the tenant as a member',
  route: 'GET /tenants/self/owner',
  permission: ['tenant:member:read', 'tenant:read'],
  entity: 'tenant',
  input: nothing,
  output: member,
  handler: toOwnerMember,
})

export const transferOwner = defineOperation({
  summary: 'Make a member the owner; the owner is the only member',
  route: 'PUT /tenants/self/owner',
  permission: ['tenant:member:update', 'tenant:update'],
  entity: 'tenant',
  effect: 'read',
  refusals: ['not_found'],
  input: newOwner,
  output: member,
  handler(context, { member_id }) {
    requireMember(context, member_id)
    return toOwnerMember(context)
  },
})

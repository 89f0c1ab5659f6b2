import { CofferError } from '../../../../shared/errors.ts'
import { offsetOf, toOffsetPage } from '../../../../shared/offset-page.ts'
import { madeId, nothing, offsetPage } from '../../../../shared/schemas/common.ts'
import { member, membersAsked, memberUpdate, newOwner } from '../../../../shared/schemas/member.ts'
import { z } from '../../../../shared/zod.ts'
import { operation } from '../../door/operation.ts'
import { ownerAsMember, requireMember } from './owner.ts'

export const list = operation({
  summary: 'List the members of the tenant: its owner',
  route: 'GET /tenants/self/members',
  permission: 'tenant:member:read',
  entity: 'tenant',
  effect: 'read',
  status: 200,
  input: membersAsked,
  output: offsetPage(member),
  handler(context, { user_id, page, size }) {
    const owner = ownerAsMember(context)
    const isAsked = user_id === undefined || user_id.some((id) => id.toLowerCase() === owner.user.id)
    const all = isAsked ? [owner] : []
    const before = offsetOf({ page, size })
    return toOffsetPage(all.slice(before, before + size), all.length, page, size)
  },
})

export const update = operation({
  summary: 'Change the role of a member; the owner keeps theirs',
  route: 'PUT /tenants/self/members/{id}',
  permission: 'tenant:member:update',
  entity: 'tenant',
  effect: 'read',
  status: 200,
  refusals: ['unprocessable'],
  input: memberUpdate,
  output: member,
  handler(context, { id, role }) {
    requireMember(context, id)
    if (role !== 'OWNER') {
      throw new CofferError(
        'unprocessable',
        'The owner is the only member of a vault and keeps the role OWNER.',
      )
    }
    return ownerAsMember(context)
  },
})

export const remove = operation({
  summary: 'Remove a member; the owner cannot be removed',
  route: 'DELETE /tenants/self/members/{id}',
  permission: 'tenant:member:delete',
  entity: 'tenant',
  effect: 'read',
  status: 204,
  always: 'unprocessable',
  refusals: ['not_found'],
  input: z.strictObject({ id: madeId }),
  output: nothing,
  handler(context, { id }) {
    requireMember(context, id)
    throw new CofferError('unprocessable', 'The owner is the only member of a vault and cannot be removed.')
  },
})

export const getOwner = operation({
  summary: 'Get the owner of the tenant as a member',
  route: 'GET /tenants/self/owner',
  permission: ['tenant:member:read', 'tenant:read'],
  entity: 'tenant',
  effect: 'read',
  status: 200,
  input: nothing,
  output: member,
  handler: ownerAsMember,
})

export const transferOwner = operation({
  summary: 'Make a member the owner; there is no other than the owner',
  route: 'PUT /tenants/self/owner',
  permission: ['tenant:member:update', 'tenant:update'],
  entity: 'tenant',
  effect: 'read',
  status: 200,
  refusals: ['not_found'],
  input: newOwner,
  output: member,
  handler(context, { member_id }) {
    requireMember(context, member_id)
    return ownerAsMember(context)
  },
})

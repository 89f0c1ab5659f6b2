import { CofferError } from '../../../../../shared/errors.ts'
import { sliceOffsetPage } from '../../../../../shared/offset-page.ts'
import { createdId, nothing, offsetPage } from '../../../../../shared/schemas/common.ts'
import { member, membersQuery, memberUpdate, newOwner } from '../../../../../shared/schemas/member.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import { z } from '../../../../../shared/zod.ts'
import { deriveOwnerId, deriveOwnerMemberId } from '../../../access/owner-id.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { getTenant } from '../store.ts'

export const list = defineOperation({
  summary: 'List the members of the tenant; the owner is the only one',
  route: 'GET /tenants/self/members',
  permission: 'tenant:member:read',
  entity: 'tenant',
  input: membersQuery,
  output: offsetPage(member),
  handler(context, { user_id, ...page }) {
    const owner = toOwnerMember(context)
    const isRequested = user_id === undefined || user_id.some((id) => id.toLowerCase() === owner.user.id)
    const all = isRequested ? [owner] : []
    return sliceOffsetPage(all, page)
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

/**
 * The owner's user. Coffer knows no person, so the name and the address are the same in every vault; nothing can be sent
 * to a `.test` address (rule M-01).
 */
const owner = {
  email: 'owner@coffer.test',
  first_name: 'Vault',
  last_name: 'Owner',
  picture:
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'%3E%3Ccircle cx='2' cy='2' r='2'/%3E%3C/svg%3E",
  provider: 'coffer',
  mfa_enrolled: false,
}

/** Returns the tenant's only member: the owner. */
function toOwnerMember({ db, tenant_id }: Context): z.input<typeof member> {
  const since = formatIsoTime(getTenant(db).created_at)
  const id = deriveOwnerId(tenant_id)
  return {
    id: deriveOwnerMemberId(tenant_id),
    tenant_id,
    role: 'OWNER',
    user: { id, ...owner },
    created_by: id,
    // The documentation calls it `created_at`, but the official clients read `created_date`.
    created_date: since,
    created_at: since,
  }
}

/** Records the member's id in the log record of the call. Throws `not_found` unless the member is the owner. */
function requireMember(context: Context, id: string): void {
  context.setRecordEntity(id)
  if (id !== deriveOwnerMemberId(context.tenant_id)) {
    throw new CofferError('not_found', 'There is no such member. The only member of a vault is its owner.')
  }
}

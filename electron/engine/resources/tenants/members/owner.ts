import { CofferError } from '../../../../../shared/errors.ts'
import type { member } from '../../../../../shared/schemas/member.ts'
import { formatIsoTime } from '../../../../../shared/time.ts'
import type { z } from '../../../../../shared/zod.ts'
import { deriveOwnerId, deriveOwnerMemberId } from '../../../access/owner-id.ts'
import type { Context } from '../../../pipeline/context.ts'
import { getTenant } from '../store.ts'

/** Returns the tenant's only member: the owner, whose name and email address Coffer does not know (rule M-01). */
export function toOwnerMember({ db, tenant_id }: Context): z.input<typeof member> {
  const since = formatIsoTime(getTenant(db).created_at)
  return {
    id: deriveOwnerMemberId(tenant_id),
    tenant_id,
    role: 'OWNER',
    user: { id: deriveOwnerId(tenant_id), provider: 'coffer', mfa_enrolled: false },
    // The documentation calls it `created_at`, but the official clients read `created_date`.
    created_date: since,
    created_at: since,
  }
}

/** Records the member's id in the log record of the call. Throws `not_found` unless the member is the owner. */
export function requireMember(context: Context, id: string): void {
  context.setRecordEntity(id)
  if (id !== deriveOwnerMemberId(context.tenant_id)) {
    throw new CofferError('not_found', 'There is no such member. The only member of a vault is its owner.')
  }
}

import { CofferError } from '../../../../shared/errors.ts'
import type { member } from '../../../../shared/schemas/member.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { z } from '../../../../shared/zod.ts'
import { deriveOwnerId, deriveOwnerMemberId } from '../../access/owner-id.ts'
import type { Context } from '../../pipeline/context.ts'
import { getTenant } from '../store.ts'

/** The tenant's only member: the person at the machine, of whom Coffer knows no name and no address (rule M-01). */
export function toOwnerMember({ db, tenant_id }: Context): z.input<typeof member> {
  const since = formatIsoTime(getTenant(db).created_at)
  return {
    id: deriveOwnerMemberId(tenant_id),
    tenant_id,
    role: 'OWNER',
    user: { id: deriveOwnerId(tenant_id), provider: 'coffer', mfa_enrolled: false },
    // The documentation says created_at, the official clients read created_date.
    created_date: since,
    created_at: since,
  }
}

/** Notes which member a call is about. Throws `not_found` unless it is the owner. */
export function requireMember(context: Context, id: string): void {
  context.setRecordEntity(id)
  if (id !== deriveOwnerMemberId(context.tenant_id)) {
    throw new CofferError('not_found', 'There is no such member. The only member of a vault is its owner.')
  }
}

import { z } from '../zod.ts'
import {
  createdId,
  email,
  nameObject,
  optionalField,
  page,
  pageSizeUpTo,
  repeatable,
  size,
  unusedStart,
} from './common.ts'

/** The roles that members may have (rule M-01). */
export const roles = ['OWNER', 'ADMIN', 'READ_ONLY'] as const

/** The owner's role cannot be assigned. */
const assignableRole = z.enum(['ADMIN', 'READ_ONLY'])

export const role = nameObject('Role', { name: z.string() })

/** A member of the tenant. Its user has a fixed name and email address, because Coffer knows no others (rule M-01). */
export const member = nameObject('TenantMember', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  role: z.enum(roles),
  user: z.object({
    id: z.uuid(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    picture: z.string(),
    provider: z.string(),
    mfa_enrolled: z.boolean(),
  }),
  created_by: z.uuid(),
  created_date: z.string(),
  created_at: z.string(),
})

export const membersQuery = z.strictObject({
  user_id: repeatable,
  page,
  size: pageSizeUpTo(50),
  start: unusedStart,
})

export const memberUpdate = z.strictObject({ id: createdId, role: z.enum(roles) })

/** The member to make the owner. */
export const newOwner = z.strictObject({ member_id: createdId })

const invitationStatuses = ['PENDING', 'EXPIRED'] as const
export type InvitationStatus = (typeof invitationStatuses)[number]

export const newInvitation = z.strictObject({ email, role: optionalField(assignableRole) })

/** An invitation (rule M-01). */
export const invitation = nameObject('TenantInvitation', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  email: z.string(),
  role: z.string(),
  status: z.enum(invitationStatuses),
  expires_at: z.string(),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
})

export const invitationsQuery = z.strictObject({
  status: z.enum(invitationStatuses).optional(),
  page,
  size,
  start: unusedStart,
})

/** Whom to contact about the security of the tenant. Coffer itself sends no mail. */
export const securityContact = nameObject('SecurityContact', { email: z.string().nullable() })
export const newSecurityContact = z.strictObject({ email })

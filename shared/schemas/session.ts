import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { moment } from './moment.ts'
import { grantedPermissions, newRule, permissionList, requiredGrants, rule } from './rule.ts'

/** A new session (rule O-04); only this response has its key. */
export const session = nameObject('Session', {
  session_key: z.string(),
  nonce: z.string(),
  expires_at: z.string(),
})

export const sessionAuthorization = z
  .strictObject({
    nonce: z.string().min(1).max(100),
    permissions: optionalField(grantedPermissions),
    rules: optionalField(z.array(newRule).max(100)),
    expires_at: optionalField(moment),
  })
  .meta(requiredGrants)

/** A session as the owner sees it. Its permissions and rules are empty until it is authorized. */
export const ownerSession = z.object({
  id: z.uuid(),
  /** The public application that started it. */
  application_id: z.uuid(),
  /** The private application that authorized it. */
  authorized_by: z.uuid().optional(),
  permissions: permissionList,
  rules: z.array(rule),
  created_at: z.string(),
  expires_at: z.string(),
})
export type OwnerSession = z.output<typeof ownerSession>

/** The fields of a session that the owner's list filters by. `state` is `waiting` or `authorized`. */
export const sessionFields = ['state', 'app', 'id'] as const
export type SessionField = (typeof sessionFields)[number]

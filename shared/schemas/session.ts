import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { moment } from './moment.ts'
import { grantedPermissions, newRule, requiredGrants } from './rule.ts'

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

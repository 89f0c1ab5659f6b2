import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Rule } from '../../../shared/schemas/rule.ts'
import { holds } from '../access/access.ts'
import type { ApplicationActor } from '../access/actor.ts'

/**
 * Throws 403 for a permission that the authorising application does not hold anywhere: the session could never use
 * it (rule O-04). How far a held one goes is decided at every use, by what the application may do at that moment.
 */
export function requireHeld(
  authorizer: ApplicationActor,
  permissions: readonly Permission[],
  rules: readonly Rule[],
): void {
  const asked = [...permissions, ...rules.flatMap((rule) => rule.permissions)]
  const missing = [...new Set(asked)].filter((permission) => !holds(authorizer, permission))
  if (missing.length === 0) return
  throw new CofferError(
    'forbidden',
    `A session holds at most what the authorising application does, and that does not hold ${missing.join(', ')}.`,
  )
}

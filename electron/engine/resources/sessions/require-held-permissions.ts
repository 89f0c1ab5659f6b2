import { CofferError } from '../../../../shared/errors.ts'
import type { Permission } from '../../../../shared/permissions.ts'
import type { AccessRule } from '../../../../shared/schemas/rule.ts'
import { hasPermission } from '../../access/access.ts'
import type { ApplicationActor } from '../../access/actor.ts'

/**
 * Throws `forbidden` for a permission that the authorizing application does not hold on any container, because the
 * session could never use it (rule O-04). The containers on which the other permissions apply are determined at each
 * use, from the application's access at that time.
 */
export function requireHeldPermissions(
  authorizer: ApplicationActor,
  permissions: readonly Permission[],
  rules: readonly AccessRule[],
): void {
  const requested = [...permissions, ...rules.flatMap((rule) => rule.permissions)]
  const missing = [...new Set(requested)].filter((permission) => !hasPermission(authorizer, permission))
  if (missing.length === 0) return
  throw new CofferError(
    'forbidden',
    `A session can only have permissions that the authorizing application holds. The application does not hold ${missing.join(', ')}.`,
  )
}

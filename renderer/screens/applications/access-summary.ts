import type { Permission } from '../../../shared/permissions.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { RuleTransform } from '../../../shared/schemas/rule.ts'
import { getPermissionVerb } from '../../parts/access/permission-groups.ts'

/** A summary of one grant: where it applies, and what reading shows or which other actions it allows. */
export type Access = {
  readonly key: string
  /** A container; null for everywhere. */
  readonly where: string | null
  readonly reads: RuleTransform | null
  readonly verbs: readonly string[]
  readonly permissions: readonly Permission[]
}

const readPermissions: readonly Permission[] = [
  'token:read',
  'token:search',
  'token:use',
  'token-intent:read',
]

function summarizeGrant(
  key: string,
  where: string | null,
  transform: RuleTransform,
  permissions: readonly Permission[],
): Access {
  const reads = permissions.some((each) => readPermissions.includes(each))
  const verbs = [...new Set(permissions.map(getPermissionVerb))]
  return { key, where, reads: reads ? transform : null, verbs, permissions }
}

/** Summarizes an application's access: one entry per rule in evaluation order, then the global permissions. */
export function summarizeAccess({
  rules,
  permissions,
}: Pick<Application, 'rules' | 'permissions'>): Access[] {
  return [
    ...rules.map((rule) =>
      summarizeGrant(`rule ${rule.priority}`, rule.container ?? '/', rule.transform, rule.permissions),
    ),
    // Permissions outside a rule show masked data (rule P-04).
    ...(permissions.length > 0 ? [summarizeGrant('everywhere', null, 'mask', permissions)] : []),
  ]
}

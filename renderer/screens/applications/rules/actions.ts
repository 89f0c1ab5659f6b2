import type { Permission } from '../../../../shared/permissions.ts'
import { getPermissionVerb } from '../../../parts/access/permission-groups.ts'
import type { GrantsDraft } from './grants.ts'

export const actions = [
  'token:create',
  'token:read',
  'token:search',
  'token:update',
  'token:delete',
  'token:use',
] as const satisfies readonly Permission[]

/** Other permissions that depend on the container of a token; the matrix shows those that are held. */
const otherActions: readonly Permission[] = ['proxy:invoke', 'reactor:invoke', '3ds:session:create']

/** Names a permission: `read` for `token:read`, but all of `proxy:invoke`, because `reactor:invoke` exists too. */
export function nameAction(permission: Permission): string {
  return permission.startsWith('token:') ? getPermissionVerb(permission) : permission
}

/** The permissions that the matrix of a draft shows. */
export function listActions({ permissions, rules }: GrantsDraft): readonly Permission[] {
  const held = new Set([...permissions, ...rules.flatMap((rule) => rule.permissions)])
  return [...actions, ...otherActions.filter((each) => held.has(each))]
}

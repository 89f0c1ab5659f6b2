import type { Permission } from '../../../../shared/permissions.ts'
import { decideAccess, type Grant, type Subject } from '../../access/access.ts'
import type { Context } from '../../pipeline/context.ts'
import { typeRules } from '../tokens/types/types.ts'

type Permissions = readonly [Permission, ...Permission[]]

/** The permissions that allow each action, of which the caller needs one. */
export const requiredPermissions = {
  create: ['network-token:create', 'network_token:create'],
  read: ['network-token:read'],
  delete: ['network-token:delete'],
  cryptogram: ['network-token:cryptogram'],
  suspend: ['network-token:suspend', 'network-token:update'],
  resume: ['network-token:resume', 'network-token:update'],
} as const satisfies Readonly<Record<string, Permissions>>
export type NetworkTokenAction = keyof typeof requiredPermissions

/** The subject of access rules: a network token is in the container in which a token with its number would be. */
export function toSubject(id: string): Subject {
  return { id, containers: [typeRules.network_token.container] }
}

/** Returns the grant that allows the actor this action, and records it for the log. Throws `forbidden`. */
export function requireGrant(context: Context, action: NetworkTokenAction, subject: Subject): Grant {
  const permissions: Permissions = requiredPermissions[action]
  const granted = permissions.find((each) => decideAccess(context.actor, each, subject, 'all'))
  return context.requireAccess(granted ?? permissions[0], subject, 'all')
}

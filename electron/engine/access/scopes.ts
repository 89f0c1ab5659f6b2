import { covers } from '../../../shared/containers.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Actor, Grants } from './actor.ts'

/**
 * Returns the container scopes outside which the actor holds none of these permissions (rule P-09). No scope lies
 * inside another. A session's conditions may narrow access further, so each row is still decided on individually.
 */
export function scopesOf(actor: Actor, ...permissions: readonly Permission[]): string[] {
  return outermost(permissions.flatMap((permission) => scopesOfOne(actor, permission)))
}

function scopesOfOne(actor: Actor, permission: Permission): string[] {
  if (actor.kind === 'owner') return ['/']
  const own = grantedScopes(actor, permission)
  if (actor.kind !== 'session') return own
  const authorizer = actor.authorizer ? grantedScopes(actor.authorizer, permission) : []
  return own.flatMap((scope) => authorizer.flatMap((other) => intersection(scope, other)))
}

function grantedScopes(grants: Grants, permission: Permission): string[] {
  if (grants.permissions.includes(permission)) return ['/']
  return grants.rules
    .filter((rule) => rule.permissions.includes(permission))
    .map((rule) => rule.container ?? '/')
}

function intersection(a: string, b: string): string[] {
  if (covers(a, b)) return [b]
  return covers(b, a) ? [a] : []
}

/** Drops scopes inside another one, so that no token is met twice. */
function outermost(scopes: readonly string[]): string[] {
  const sorted = [...new Set(scopes)].sort()
  return sorted.filter((scope) => !sorted.some((other) => other !== scope && covers(other, scope)))
}

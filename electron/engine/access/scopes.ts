import { covers } from '../../../shared/containers.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Actor, Grants } from './actor.ts'

/**
 * The container scopes outside of which the actor certainly holds none of these permissions (rule P-09),
 * none inside another. A session's conditions may narrow further: every row is decided on by itself as well.
 */
export function scopesOf(actor: Actor, ...permissions: readonly Permission[]): string[] {
  return outermost(permissions.flatMap((permission) => scopesOfOne(actor, permission)))
}

function scopesOfOne(actor: Actor, permission: Permission): string[] {
  if (actor.kind === 'owner') return ['/']
  const own = grantedScopes(actor, permission)
  if (actor.kind === 'application') return own
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

/** Drops scopes that lie inside another, so that no token is met twice. */
function outermost(scopes: readonly string[]): string[] {
  const sorted = [...new Set(scopes)].sort()
  return sorted.filter((scope) => !sorted.some((other) => other !== scope && covers(other, scope)))
}

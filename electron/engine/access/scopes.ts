import { includesContainer } from '../../../shared/containers.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { AccessRule, RuleCondition } from '../../../shared/schemas/rule.ts'
import type { Actor, Grants } from './actor.ts'

/**
 * Returns the container scopes outside of which the actor holds none of these permissions (rule P-09). No scope is
 * nested in another. A session's conditions may restrict access further, so each row is still decided individually.
 */
export function getScopes(actor: Actor, ...permissions: readonly Permission[]): string[] {
  return dropNestedScopes(permissions.flatMap((permission) => getPermissionScopes(actor, permission)))
}

function getPermissionScopes(actor: Actor, permission: Permission): string[] {
  if (actor.kind === 'owner') return ['/']
  const own = getGrantedScopes(actor, permission)
  if (actor.kind !== 'session') return own
  const authorizer = actor.authorizer ? getGrantedScopes(actor.authorizer, permission) : []
  return own.flatMap((scope) => authorizer.flatMap((other) => intersectScopes(scope, other)))
}

function getGrantedScopes(grants: Grants, permission: Permission): string[] {
  if (grants.permissions.includes(permission)) return ['/']
  return grants.rules.filter((rule) => rule.permissions.includes(permission)).flatMap(getRuleScopes)
}

/** Returns the scope of a rule's container, or the narrowest that its conditions allow; none if they conflict. */
function getRuleScopes({ container, conditions = [] }: AccessRule): string[] {
  if (container !== undefined) return [container]
  const containerConditions = conditions.filter(({ attribute }) => attribute === 'container')
  // A container that begins with `/a/b` is in `/a/`.
  return containerConditions
    .map(({ value }) => value.slice(0, value.lastIndexOf('/') + 1) || '/')
    .reduce((scopes, each) => scopes.flatMap((scope) => intersectScopes(scope, each)), ['/'])
}

/**
 * Returns the id conditions under which the actor holds any of these permissions: a token must match at least one of
 * them. Returns null if a permission may also be granted by something other than the token's id (rule P-07).
 */
export function getIdConditions(actor: Actor, ...permissions: readonly Permission[]): RuleCondition[] | null {
  if (actor.kind !== 'session') return null
  const idConditions: RuleCondition[] = []
  for (const permission of permissions) {
    if (actor.permissions.includes(permission)) return null
    for (const { permissions: granted, conditions = [] } of actor.rules) {
      if (!granted.includes(permission)) continue
      const condition = conditions.find(({ attribute }) => attribute === 'id')
      if (!condition) return null
      idConditions.push(condition)
    }
  }
  return idConditions
}

function intersectScopes(a: string, b: string): string[] {
  if (includesContainer(a, b)) return [b]
  return includesContainer(b, a) ? [a] : []
}

/** Drops scopes inside another one, so that no token is visited twice. */
function dropNestedScopes(scopes: readonly string[]): string[] {
  const sorted = [...new Set(scopes)].sort()
  return sorted.filter((scope) => !sorted.some((other) => other !== scope && includesContainer(other, scope)))
}

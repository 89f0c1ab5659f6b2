import { includesContainer } from '../../../shared/containers.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { AccessRule, RuleCondition, RuleTransform } from '../../../shared/schemas/rule.ts'
import type { Actor, Grants } from './actor.ts'

/** The subject of an access decision: a token's id and containers. */
export type Subject = { readonly id: string; readonly containers: readonly string[] }

/** How a permission was granted: the transform, and the rule that decided (null for `permissions` and the owner). */
export type Grant = { readonly transform: RuleTransform; readonly rule: AccessRule | null }

const transformStrength: Record<RuleTransform, number> = { redact: 0, mask: 1, reveal: 2 }

/** Whether the actor holds a permission on at least one container (rule P-12). */
export function hasPermission(actor: Actor, permission: Permission): boolean {
  if (actor.kind === 'owner') return true
  const own =
    actor.permissions.includes(permission) ||
    actor.rules.some((rule) => rule.permissions.includes(permission))
  if (actor.kind !== 'session') return own
  return own && actor.authorizer !== null && hasPermission(actor.authorizer, permission)
}

/**
 * Decides whether the actor has a permission on a token, and with which transform (rules P-04, P-05, P-10). Returns
 * null if not. With `any`, at least one container must grant it, as for reading; with `all`, every container, as for
 * creating, updating and deleting.
 */
export function decideAccess(
  actor: Actor,
  permission: Permission,
  subject: Subject,
  which: 'any' | 'all',
): Grant | null {
  if (actor.kind === 'owner') return { transform: 'mask', rule: null }
  if (actor.kind !== 'session') return decideGrants(actor, permission, subject, which)
  const { authorizer } = actor
  const authorizerGrant = authorizer && decideGrants(authorizer, permission, subject, which)
  if (!authorizerGrant) return null
  // SECURITY: a session may access a token only through containers that its authorizer may access too.
  const shared = subject.containers.filter((container) =>
    decideGrants(authorizer, permission, { id: subject.id, containers: [container] }, 'any'),
  )
  const own = decideGrants(actor, permission, { id: subject.id, containers: shared }, which)
  return own && { ...own, transform: getWeakerTransform(own.transform, authorizerGrant.transform) }
}

/** Returns the transform that reveals less. */
export function getWeakerTransform(one: RuleTransform, other: RuleTransform): RuleTransform {
  return transformStrength[one] < transformStrength[other] ? one : other
}

/** Like `decideAccess`, for reading a token with the first of these permissions that is granted (rule L-07). */
export function decideReading(
  actor: Actor,
  permissions: readonly Permission[],
  subject: Subject,
): Grant | null {
  for (const permission of permissions) {
    const grant = decideAccess(actor, permission, subject, 'any')
    if (grant) return grant
  }
  return null
}

/** Whether access may depend on more than a token's containers: a session's rules can have conditions (rule P-07). */
export function hasConditions(actor: Actor): boolean {
  return actor.kind === 'session' && actor.rules.some(({ conditions }) => conditions !== undefined)
}

/** Returns the maximum number of rules and conditions that one decision on a container has to test. */
export function countRuleTests(actor: Actor): number {
  if (actor.kind === 'owner') return 0
  const own = actor.rules.reduce((sum, { conditions = [] }) => sum + 1 + conditions.length, 0)
  return own + (actor.kind === 'session' ? 2 * (actor.authorizer?.rules.length ?? 0) : 0)
}

function decideGrants(
  grants: Grants,
  permission: Permission,
  subject: Subject,
  which: 'any' | 'all',
): Grant | null {
  const decidingRules = subject.containers.map((container) =>
    grants.rules.find(
      (rule) => rule.permissions.includes(permission) && matchesRule(rule, subject.id, container),
    ),
  )
  const first = decidingRules.reduce(
    (best, rule) => (rule && (!best || rule.priority < best.priority) ? rule : best),
    undefined,
  )
  const byPermission = grants.permissions.includes(permission)
  if (which === 'all' && !byPermission && decidingRules.includes(undefined)) return null
  if (first) return { transform: first.transform, rule: first }
  if (!byPermission) return null
  const uses = permission === 'token:use' || permission === 'proxy:invoke' || permission === 'reactor:invoke'
  return { transform: uses ? 'reveal' : 'mask', rule: null }
}

function matchesRule(rule: AccessRule, id: string, container: string): boolean {
  if (rule.container !== undefined) return includesContainer(rule.container, container)
  const { conditions = [] } = rule
  // SECURITY: a rule without container and conditions grants nothing.
  return conditions.length > 0 && conditions.every((condition) => matchesCondition(condition, id, container))
}

function matchesCondition(condition: RuleCondition, id: string, container: string): boolean {
  const actual = condition.attribute === 'id' ? id : container
  return condition.operator === 'equals' ? actual === condition.value : actual.startsWith(condition.value)
}

/** Formats a decision for the log: `mask, by rule 2 on /pci/ (token:read)`. */
export function describeGrant(grant: Grant, permission: Permission): string {
  if (!grant.rule) return `${grant.transform}, by permission (${permission})`
  const { priority, container } = grant.rule
  return `${grant.transform}, by rule ${priority}${container ? ` on ${container}` : ''} (${permission})`
}

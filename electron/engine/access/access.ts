import { includesContainer } from '../../../shared/containers.ts'
import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { AccessRule, RuleCondition, RuleTransform } from '../../../shared/schemas/rule.ts'
import type { Actor, Grants } from './actor.ts'

/** The subject of an access decision: a token's id and containers. */
export type Subject = { readonly id: string; readonly containers: readonly string[] }

/** How a permission was granted: the transform, and the rule that decided (null for `permissions` and the owner). */
export type Grant = {
  readonly transform: RuleTransform
  readonly rule: AccessRule | null
  /** Set if a session's own rule would reveal more than its authorizer may see (rule O-04). */
  readonly isLimited?: true
}

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
  if (!own) return null
  const transform = getWeakerTransform(own.transform, authorizerGrant.transform)
  return transform === own.transform ? own : { ...own, transform, isLimited: true }
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

/** What has permissions of its own, one to read it and one to read it in clear. */
type RevealedSubject = Permission extends infer P ? (P extends `${infer S}:reveal` ? S : never) : never

/**
 * Returns how the actor may see what has permissions of its own: as `<prefix>:reveal` allows, or else at most masked
 * with `<prefix>:read`. Throws `forbidden`.
 */
export function requireReading(actor: Actor, prefix: RevealedSubject, subject: Subject): RuleTransform {
  const revealing = decideAccess(actor, `${prefix}:reveal`, subject, 'any')
  if (revealing) return revealing.transform
  const reading = decideAccess(actor, `${prefix}:read`, subject, 'any')
  if (reading) return getWeakerTransform(reading.transform, 'mask')
  throw createPermissionError([`${prefix}:read`, `${prefix}:reveal`])
}

/** Returns the error for an actor that has none of these permissions. */
export function createPermissionError(permissions: readonly Permission[]): CofferError {
  return new CofferError('forbidden', `This needs the permission ${permissions.join(' or ')}.`, {
    missing: { permissions },
  })
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
  return { transform: getPermissionTransform(permission), rule: null }
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
export function describeGrant({ transform, rule, isLimited }: Grant, permission: Permission): string {
  if (!rule) return `${transform}, by permission (${permission})`
  const { priority, container } = rule
  const limit = isLimited ? ', limited by the application that authorized the session' : ''
  return `${transform}, by rule ${priority}${container ? ` on ${container}` : ''} (${permission})${limit}`
}

/**
 * Describes the rules of a session that ask for more than its authorizer can give anywhere in their containers (rule
 * O-04). Empty if there is none.
 */
export function describeExcess(authorizer: Grants, rules: readonly AccessRule[]): string {
  const excesses = rules.flatMap(({ priority, container, transform, permissions }) =>
    permissions.filter(isOfTokens).flatMap((permission) => {
      const held = findStrongestTransform(authorizer, permission, container)
      return getWeakerTransform(transform, held) === transform
        ? []
        : [`Rule ${priority} asks for ${transform} with ${permission}; the session gets at most ${held}.`]
    }),
  )
  if (excesses.length === 0) return ''
  const [shown, more] = [excesses.slice(0, 3), excesses.length - 3]
  return [
    'A session gets no more than the application that authorizes it.',
    ...shown,
    ...(more > 0 ? [`And ${more} more.`] : []),
  ].join(' ')
}

/** Whether the transform of a permission decides what a response shows. */
function isOfTokens(permission: Permission): boolean {
  return permission.startsWith('token:')
}

/** Returns the strongest transform that a permission has in any container that overlaps this one. */
function findStrongestTransform(
  { permissions, rules }: Grants,
  permission: Permission,
  container = '/',
): RuleTransform {
  const granted = rules
    .filter(
      (rule) => rule.permissions.includes(permission) && isOverlapping(rule.container ?? '/', container),
    )
    .map(({ transform }) => transform)
  if (permissions.includes(permission)) granted.push(getPermissionTransform(permission))
  return granted.reduce((one, other) => (getWeakerTransform(one, other) === one ? other : one), 'redact')
}

function isOverlapping(one: string, other: string): boolean {
  return includesContainer(one, other) || includesContainer(other, one)
}

/** The transform of a permission that no rule decides (rule P-04). */
function getPermissionTransform(permission: Permission): RuleTransform {
  const uses = permission === 'token:use' || permission === 'proxy:invoke' || permission === 'reactor:invoke'
  return uses || permission.endsWith(':reveal') ? 'reveal' : 'mask'
}

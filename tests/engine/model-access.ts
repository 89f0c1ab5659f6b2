import type { Permission } from '../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../shared/schemas/rule.ts'

export type Grants = { readonly permissions: readonly Permission[]; readonly rules: readonly AccessRule[] }

/** The caller: the owner, an application, or a session with the grants of the application that authorized it. */
export type ModelCaller =
  | { readonly kind: 'owner' }
  | { readonly kind: 'application'; readonly id: string; readonly grants: Grants }
  | {
      readonly kind: 'session'
      readonly id: string
      readonly application_id: string
      readonly grants: Grants
      /** Null before the session is authorized, and after the authorizing application is deleted. */
      readonly authorizer: Grants | null
      readonly is_orphan: boolean
    }

const splitSegments = (container: string) => container.split('/').slice(1, -1)

/** Returns whether a scope includes a container, by complete path segments (P-05). */
export function isWithin(scope: string, container: string): boolean {
  const inner = splitSegments(container)
  return splitSegments(scope).every((segment, at) => inner[at] === segment)
}

function includesContainer(rule: AccessRule, container: string): boolean {
  if (rule.container !== undefined) return isWithin(rule.container, container)
  const conditions = rule.conditions ?? []
  return (
    conditions.length > 0 &&
    conditions.every(({ operator, value }) =>
      operator === 'equals' ? container === value : container.startsWith(value),
    )
  )
}

/**
 * Returns the transform of the first matching rule by priority, else of the permission. Reading needs a grant on one
 * container, other permissions on all of them (P-04, P-05, P-10).
 */
function findTransform(
  { permissions, rules }: Grants,
  permission: string,
  containers: readonly string[],
  which: 'any' | 'all',
): RuleTransform | null {
  const granting = rules.filter((rule) => rule.permissions.some((each) => each === permission))
  const held = permissions.some((each) => each === permission)
  const isGranted = (container: string) => held || granting.some((rule) => includesContainer(rule, container))
  if (which === 'all' && !containers.every(isGranted)) return null
  const byPriority = granting.toSorted((a, b) => a.priority - b.priority)
  const first = byPriority.find((rule) => containers.some((container) => includesContainer(rule, container)))
  return first ? first.transform : held ? 'mask' : null
}

const strength: readonly RuleTransform[] = ['redact', 'mask', 'reveal']

/** Returns the transform with which a caller may access these containers; null for no access (P-04 to P-10, O-04). */
export function findAccess(
  who: ModelCaller,
  permission: string,
  containers: readonly string[],
  which: 'any' | 'all' = 'any',
): RuleTransform | null {
  if (who.kind === 'owner') return 'mask'
  if (who.kind === 'application') return findTransform(who.grants, permission, containers, which)
  const { authorizer, grants } = who
  const theirs = authorizer && findTransform(authorizer, permission, containers, which)
  if (!authorizer || !theirs) return null
  const reached = containers.filter((each) => findTransform(authorizer, permission, [each], 'any'))
  const own = findTransform(grants, permission, reached, which)
  return own && (strength.find((each) => each === own || each === theirs) ?? null)
}

const holdsIn = ({ permissions, rules }: Grants, permission: string) =>
  [...permissions, ...rules.flatMap((rule) => rule.permissions)].some((each) => each === permission)

/** Returns whether a caller holds a permission on any container (P-12). */
export function holdsPermission(who: ModelCaller, permission: string): boolean {
  if (who.kind === 'owner') return true
  if (who.kind === 'application') return holdsIn(who.grants, permission)
  return who.authorizer !== null && holdsIn(who.authorizer, permission) && holdsIn(who.grants, permission)
}

const tokenPermissions = ['create', 'read', 'update', 'delete', 'use', 'search'].map(
  (each) => `token:${each}`,
)
const intentPermissions = ['create', 'read', 'delete'].map((each) => `token-intent:${each}`)
const canHoldByType: Record<string, (permission: string) => boolean> = {
  public: (each) => ['token:create', 'token:update', 'token-intent:create'].includes(each),
  private: (each) => tokenPermissions.includes(each) || intentPermissions.includes(each),
  management: (each) => !tokenPermissions.includes(each) && !intentPermissions.includes(each),
}

const wellFormed = /^\/([a-zA-Z0-9_-]+\/)*$/

/** Returns whether an application of a type, or a session, may have these grants (P-02, P-03, P-05, P-06). */
export function areValid(holder: string, { permissions, rules }: Grants): boolean {
  const isSession = holder === 'session'
  const fits = canHoldByType[isSession ? 'private' : holder] ?? (() => false)
  return (
    permissions.length + rules.length > 0 &&
    !(holder === 'management' && rules.length > 0) &&
    new Set(rules.map((rule) => rule.priority)).size === rules.length &&
    [...permissions, ...rules.flatMap((rule) => rule.permissions)].every(fits) &&
    rules.every(({ container, conditions }) =>
      container === undefined ? isSession && conditions !== undefined : conditions === undefined,
    ) &&
    rules.every(({ container }) => container === undefined || wellFormed.test(container))
  )
}

/** Returns containers in their stored form, or null if one is invalid (P-10). */
export function normalizeContainers(containers: readonly string[]): string[] | null {
  if (!containers.every((each) => wellFormed.test(each))) return null
  return [...new Set(containers.map((each) => each.toLowerCase()))]
}

/** Returns grants in their stored form: rules by priority, containers in lower case. */
export function normalizeGrants({ permissions, rules }: Grants): Grants {
  const lower = rules.map((rule) => ({
    ...rule,
    ...(rule.container !== undefined && { container: rule.container.toLowerCase() }),
    ...(rule.conditions && {
      conditions: rule.conditions.map((each) => ({ ...each, value: each.value.toLowerCase() })),
    }),
  }))
  return { permissions: [...permissions], rules: lower.toSorted((a, b) => a.priority - b.priority) }
}

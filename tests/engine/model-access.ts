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

/** Returns whether a rule covers a container of a token: by its container, or by all of its conditions (P-05, P-07). */
function includesContainer(rule: AccessRule, container: string, id: string): boolean {
  if (rule.container !== undefined) return isWithin(rule.container, container)
  const conditions = rule.conditions ?? []
  return (
    conditions.length > 0 &&
    conditions.every(({ attribute, operator, value }) => {
      const actual = attribute === 'id' ? id : container
      return operator === 'equals' ? actual === value : actual.startsWith(value)
    })
  )
}

/** The permissions whose operations need the plaintext, so that they reveal it without a rule (P-04). */
const revealing = ['token:use', 'proxy:invoke', 'reactor:invoke']

/**
 * Returns the transform of the first matching rule by priority, else of the permission. Reading needs a grant on one
 * container, other permissions on all of them (P-04, P-05, P-10).
 */
function findTransform(
  { permissions, rules }: Grants,
  permission: string,
  containers: readonly string[],
  which: 'any' | 'all',
  id: string,
): RuleTransform | null {
  const granting = rules.filter((rule) => rule.permissions.some((each) => each === permission))
  const held = permissions.some((each) => each === permission)
  const isGranted = (container: string) =>
    held || granting.some((rule) => includesContainer(rule, container, id))
  if (which === 'all' && !containers.every(isGranted)) return null
  const byPriority = granting.toSorted((a, b) => a.priority - b.priority)
  const first = byPriority.find((rule) =>
    containers.some((container) => includesContainer(rule, container, id)),
  )
  if (first) return first.transform
  if (!held) return null
  return revealing.includes(permission) ? 'reveal' : 'mask'
}

const strength: readonly RuleTransform[] = ['redact', 'mask', 'reveal']

/** Returns the transform with which a caller may access these containers; null for no access (P-04 to P-10, O-04). */
export function findAccess(
  who: ModelCaller,
  permission: string,
  containers: readonly string[],
  which: 'any' | 'all' = 'any',
  id = '',
): RuleTransform | null {
  if (who.kind === 'owner') return 'mask'
  if (who.kind === 'application') return findTransform(who.grants, permission, containers, which, id)
  const { authorizer, grants } = who
  const theirs = authorizer && findTransform(authorizer, permission, containers, which, id)
  if (!authorizer || !theirs) return null
  const reached = containers.filter((each) => findTransform(authorizer, permission, [each], 'any', id))
  const own = findTransform(grants, permission, reached, which, id)
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

/** Who may hold what (P-02): public applications a few, private ones what needs data, management ones the rest. */
const toPublic = /^(token:(create|update)|token-intent:create|3ds:session:create)$/
const toPrivate = /^(token|token-intent|documents):|^(proxy|reactor):invoke$|^3ds:session:create$/
/** The newer areas, of which the window, a page and a backend may each call some (P-02). */
const toSeveral =
  /^(apple-pay|google-pay|network[-_]token|account-updater|agent|enrollment|3ds:session:(read|authenticate))(:|$)/
const fromPages = /^(apple-pay:(create|session)|google-pay:create|(enrollment|agent:instruction):verify)$/
const canHoldByType: Record<string, (permission: string) => boolean> = {
  public: (each) => toPublic.test(each) || fromPages.test(each),
  private: (each) => toPrivate.test(each) || toSeveral.test(each),
  management: (each) => !toPrivate.test(each),
}

/** Returns whether an application of a type may hold a permission (P-02). */
export const canHold = (type: 'public' | 'private' | 'management', permission: string) =>
  canHoldByType[type]?.(permission) ?? false

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
      container === undefined ? isSession && !!conditions?.length : !conditions?.length,
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
      conditions: rule.conditions.map((each) =>
        each.attribute === 'id' ? each : { ...each, value: each.value.toLowerCase() },
      ),
    }),
  }))
  return { permissions: [...permissions], rules: lower.toSorted((a, b) => a.priority - b.priority) }
}

import { includesContainer, listScopes } from '../../../../shared/containers.ts'
import { mayHold, type Permission } from '../../../../shared/permissions.ts'
import type { RuleTransform } from '../../../../shared/schemas/rule.ts'
import type { ApplicationUse } from './compare-uses.ts'
import { createRuleKey, type GrantsDraft, type RuleDraft } from './grants.ts'

/** The maximum number of proposed rules. With more containers, rules apply to wider ones. */
export const MAX_PROPOSED_RULES = 20

export const strength = { redact: 0, mask: 1, reveal: 2 } as const satisfies Record<RuleTransform, number>

type UsedGrant = {
  readonly scope: string
  readonly permission: Permission
  readonly transform: RuleTransform
}

type Proposal = {
  readonly draft: GrantsDraft
  readonly requests: number
  /** How many containers were used, if they are more than there are rules for. */
  readonly widenedFrom: number | null
  /** Whether a container is that of a former rule, because the log names no narrower one. */
  readonly keepsScopes: boolean
}

/**
 * Proposes the narrowest rules that allow what the log says was used. Permissions that no token decides stay where they
 * are held. Null if nothing was used.
 */
export function proposeRules(current: GrantsDraft, uses: readonly ApplicationUse[]): Proposal | null {
  const allowed = uses.filter(({ refused }) => !refused)
  if (allowed.length === 0) return null
  const { everywhere, grants, keepsScopes } = collectGrants(current, allowed)
  const scopes = new Set(grants.map(({ scope }) => scope))
  const rules = joinScopes(grants)
  return {
    draft: { ...current, permissions: everywhere, rules: keepKeys(current.rules, rules) },
    requests: allowed.reduce((sum, { requests }) => sum + requests, 0),
    widenedFrom: rules.some(({ container }) => !scopes.has(container)) ? scopes.size : null,
    keepsScopes,
  }
}

function collectGrants(current: GrantsDraft, uses: readonly ApplicationUse[]) {
  const everywhere = new Set<Permission>()
  const grants: UsedGrant[] = []
  let keepsScopes = false
  // A list needs its permission somewhere, which the other uses may already grant.
  const sorted = [...uses].sort((a, b) => Number(needsNoContainer(a)) - Number(needsNoContainer(b)))
  for (const use of sorted) {
    const permission = pickPermission(current, use.permissions)
    if (!permission) continue
    const containers = use.subjects.flatMap((all) => pickContainers(permission, all))
    for (const scope of containers)
      grants.push({
        scope,
        permission,
        transform: use.transform ?? findTransform(current, permission, scope),
      })
    if (use.complete && containers.length > 0) continue
    if (use.scope !== null && use.transform !== null) {
      keepsScopes = true
      grants.push({ scope: use.scope, permission, transform: use.transform })
    } else if (!needsNoContainer(use) || !grants.some((each) => each.permission === permission))
      keepHeld(current, permission, grants, everywhere)
  }
  return { everywhere: current.permissions.filter((each) => everywhere.has(each)), grants, keepsScopes }
}

function needsNoContainer({ complete, subjects }: ApplicationUse): boolean {
  return complete && subjects.length === 0
}

function pickPermission(
  { type, permissions, rules }: GrantsDraft,
  anyOf: readonly Permission[],
): Permission | undefined {
  const isHeld = (each: Permission) =>
    permissions.includes(each) || rules.some((rule) => rule.permissions.includes(each))
  return anyOf.find(isHeld) ?? anyOf.find((each) => mayHold(type, each))
}

/** One container is enough to read a token; to change it, all are needed (rule P-10). */
function pickContainers(permission: Permission, containers: readonly string[]): readonly string[] {
  const needsAll = ['token:create', 'token:update', 'token:delete'].includes(permission)
  return needsAll ? containers : containers.slice(0, 1)
}

function findTransform({ rules }: GrantsDraft, permission: Permission, container: string): RuleTransform {
  const rule = rules.find(
    (each) => each.permissions.includes(permission) && includesContainer(each.container, container),
  )
  return rule?.transform ?? (permission === 'token:use' || permission.endsWith(':invoke') ? 'reveal' : 'mask')
}

/** Keeps a permission in the rules, or everywhere, as it is held. */
function keepHeld(
  { permissions, rules }: GrantsDraft,
  permission: Permission,
  grants: UsedGrant[],
  everywhere: Set<Permission>,
): void {
  if (permissions.includes(permission)) everywhere.add(permission)
  for (const { container, transform, permissions } of rules)
    if (permissions.includes(permission)) grants.push({ scope: container, permission, transform })
}

/** Groups grants by container and transform. Shortens the deepest containers until there are few enough rules. */
function joinScopes(grants: readonly UsedGrant[]): RuleDraft[] {
  let depth = Math.max(0, ...grants.map(({ scope }) => getDepth(scope)))
  let rules = buildRules(grants, depth)
  while (rules.length > MAX_PROPOSED_RULES && depth > 0) rules = buildRules(grants, --depth)
  return rules
}

function getDepth(scope: string): number {
  return listScopes(scope).length - 1
}

function buildRules(grants: readonly UsedGrant[], depth: number): RuleDraft[] {
  const strongest = new Map<string, UsedGrant>()
  for (const grant of grants) {
    const scope = listScopes(grant.scope)[depth] ?? grant.scope
    const key = `${scope} ${grant.permission}`
    const known = strongest.get(key)
    if (!known || strength[grant.transform] > strength[known.transform])
      strongest.set(key, { ...grant, scope })
  }
  const groups = Map.groupBy(strongest.values(), ({ scope, transform }) => `${scope} ${transform}`)
  return (
    [...groups.values()]
      .flatMap((group) => {
        const [first] = group
        if (!first) return []
        const permissions = group.map(({ permission }) => permission)
        return [{ key: -1, description: '', container: first.scope, transform: first.transform, permissions }]
      })
      // A rule on a narrower container must come before one that covers it.
      .sort((a, b) => getDepth(b.container) - getDepth(a.container) || (a.container < b.container ? -1 : 1))
  )
}

/** Gives each rule the key and description of the current one that it replaces, so that only differences are changes. */
function keepKeys(current: readonly RuleDraft[], rules: readonly RuleDraft[]): RuleDraft[] {
  const rest = [...current]
  let next = createRuleKey(current)
  return rules.map((rule) => {
    const at = rest.findIndex(
      ({ container, transform }) => container === rule.container && transform === rule.transform,
    )
    const [old] = at < 0 ? [] : rest.splice(at, 1)
    return { ...rule, key: old?.key ?? next--, description: old?.description ?? '' }
  })
}

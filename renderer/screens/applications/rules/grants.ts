import type { ApplicationType, Permission } from '../../../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../../../shared/schemas/rule.ts'
import { strings } from './strings.ts'

/** A rule being edited; its position in the list is its priority. */
export type RuleDraft = {
  readonly key: number
  readonly description: string
  readonly container: string
  readonly transform: RuleTransform
  readonly permissions: readonly Permission[]
}

export type GrantsDraft = {
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  readonly rules: readonly RuleDraft[]
}

export function toGrantsDraft(grants: {
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
}): GrantsDraft {
  return {
    type: grants.type,
    permissions: grants.permissions,
    rules: grants.rules.map((rule, key) => ({
      key,
      description: rule.description ?? '',
      container: rule.container ?? '/',
      transform: rule.transform,
      permissions: rule.permissions,
    })),
  }
}

/** Numbers the rules of a draft: priorities start at 1 in list order. */
export function toRules(rules: readonly RuleDraft[]) {
  return rules.map(({ description, container, transform, permissions }, index) => ({
    priority: index + 1,
    container,
    transform,
    permissions: [...permissions],
    ...(description !== '' && { description }),
  }))
}

/** Returns the key of a new rule. It counts down, and those of stored rules up from 0, also of removed ones. */
export function createRuleKey(rules: readonly RuleDraft[]): number {
  return Math.min(0, ...rules.map(({ key }) => key)) - 1
}

/** What a refused request needed: a permission on a container. */
export type NeededGrant = { readonly permission: Permission; readonly container: string }

/** A new rule, which grants what is needed if that is known. */
export function createRuleDraft(
  { type, rules }: Pick<GrantsDraft, 'type' | 'rules'>,
  needed: NeededGrant | null,
): RuleDraft {
  const usual = type === 'public' ? 'token:create' : 'token:read'
  return {
    key: createRuleKey(rules),
    description: '',
    container: needed?.container ?? '/',
    transform: 'mask',
    permissions: [needed?.permission ?? usual],
  }
}

export function moveRule(rules: readonly RuleDraft[], from: number, to: number): readonly RuleDraft[] {
  const rule = rules[from]
  if (!rule || to < 0 || to >= rules.length) return rules
  return rules.toSpliced(from, 1).toSpliced(to, 0, rule)
}

const t = strings.changes

/** Describes what saving a draft would change, one sentence per change. */
export function describeChanges(before: GrantsDraft, after: GrantsDraft): string[] {
  const oldRules = new Map(before.rules.map((rule) => [rule.key, rule]))
  const newRules = restoreKeys(before.rules, after.rules)
  const newKeys = new Set(newRules.map(({ key }) => key))
  const listKept = (rules: readonly RuleDraft[]) =>
    rules.map(({ key }) => key).filter((key) => oldRules.has(key) && newKeys.has(key))
  return [
    ...before.rules.filter(({ key }) => !newKeys.has(key)).map(({ container }) => t.removed(container)),
    ...newRules.flatMap((rule) => {
      const old = oldRules.get(rule.key)
      return old ? describeRuleChanges(old, rule) : [t.added(rule.container)]
    }),
    ...(listKept(before.rules).join() === listKept(newRules).join() ? [] : [t.moved]),
    ...describePermissions(null, before.permissions, after.permissions),
  ]
}

/** Gives a new rule the key of a removed one with the same content: removing it and adding it again changes nothing. */
function restoreKeys(before: readonly RuleDraft[], after: readonly RuleDraft[]): readonly RuleDraft[] {
  const keys = new Set(after.map(({ key }) => key))
  const removed = before.filter(({ key }) => !keys.has(key))
  return after.map((rule) => {
    if (before.some(({ key }) => key === rule.key)) return rule
    const at = removed.findIndex((old) => describeRuleChanges(old, rule).length === 0)
    const [same] = at < 0 ? [] : removed.splice(at, 1)
    return same ? { ...rule, key: same.key } : rule
  })
}

function describeRuleChanges(old: RuleDraft, rule: RuleDraft): string[] {
  const { container, transform, description } = rule
  return [
    ...(old.container === container ? [] : [t.container(old.container, container)]),
    ...(old.transform === transform ? [] : [t.transform(container, transform)]),
    ...describePermissions(container, old.permissions, rule.permissions),
    ...(old.description === description ? [] : [t.description(container)]),
  ]
}

function describePermissions(
  container: string | null,
  before: readonly Permission[],
  after: readonly Permission[],
): string[] {
  const gained = after.filter((each) => !before.includes(each))
  const lost = before.filter((each) => !after.includes(each))
  return [
    ...(gained.length === 0 ? [] : [t.gained(container, gained.join(', '))]),
    ...(lost.length === 0 ? [] : [t.lost(container, lost.join(', '))]),
  ]
}

import type { ApplicationType, Permission } from '../../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../../shared/schemas/rule.ts'

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

export function createRuleDraft(type: ApplicationType, rules: readonly RuleDraft[]): RuleDraft {
  return {
    key: rules.reduce((max, { key }) => Math.max(max, key), -1) + 1,
    description: '',
    container: '/',
    transform: 'mask',
    permissions: type === 'public' ? ['token:create'] : ['token:read'],
  }
}

export function moveRule(rules: readonly RuleDraft[], index: number, by: -1 | 1): readonly RuleDraft[] {
  const rule = rules[index]
  const to = index + by
  if (!rule || to < 0 || to >= rules.length) return rules
  return rules.toSpliced(index, 1).toSpliced(to, 0, rule)
}

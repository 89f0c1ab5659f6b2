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

/** A draft of an application's current grants. */
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

/** The rules of a draft, with priorities from 1 in list order. */
export function toRules(rules: readonly RuleDraft[]) {
  return rules.map(({ description, container, transform, permissions }, index) => ({
    priority: index + 1,
    container,
    transform,
    permissions: [...permissions],
    ...(description !== '' && { description }),
  }))
}

/** The initial draft of a new rule. */
export function createRuleDraft(type: ApplicationType, rules: readonly RuleDraft[]): RuleDraft {
  return {
    key: rules.reduce((max, { key }) => Math.max(max, key), -1) + 1,
    description: '',
    container: '/',
    transform: 'mask',
    permissions: type === 'public' ? ['token:create'] : ['token:read'],
  }
}

/** The list with one rule moved up or down by one. */
export function moveRule(rules: readonly RuleDraft[], index: number, by: -1 | 1): readonly RuleDraft[] {
  const rule = rules[index]
  const to = index + by
  if (!rule || to < 0 || to >= rules.length) return rules
  return rules.toSpliced(index, 1).toSpliced(to, 0, rule)
}

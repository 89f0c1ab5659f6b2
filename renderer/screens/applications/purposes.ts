import type { Permission } from '../../../shared/permissions.ts'
import type { RuleTransform } from '../../../shared/schemas/rule.ts'
import { listHoldablePermissions, splitByUse } from '../../parts/access/permission-groups.ts'
import type { GrantsDraft, RuleDraft } from './grants.ts'

export const purposes = ['backend', 'browser', 'management'] as const
export type ApplicationPurpose = (typeof purposes)[number]

/** What reading shows a backend; `none` if it may not read. */
export type Reads = RuleTransform | 'none'

/** Below those of rules that are added by hand, which are counted from 0. */
const READING_KEY = -1

export type AccessAnswers = {
  readonly container: string
  readonly reads: Reads
  /** The grants as they were last changed by hand, and the answers then. */
  readonly byHand: { readonly container: string; readonly reads: Reads; readonly draft: GrantsDraft } | null
}

function createRule(
  key: number,
  container: string,
  transform: RuleTransform,
  permissions: Permission[],
): RuleDraft {
  return { key, description: '', container, transform, permissions }
}

/** The grants for a purpose and its answers. */
export function createGrants(purpose: ApplicationPurpose, container: string, reads: Reads): GrantsDraft {
  if (purpose === 'management')
    return {
      type: 'management',
      permissions: splitByUse(listHoldablePermissions('management')).useful,
      rules: [],
    }
  if (purpose === 'browser') {
    return {
      type: 'public',
      permissions: [],
      rules: [createRule(-2, container, 'mask', ['token:create', 'token-intent:create'])],
    }
  }
  const writes = createRule(-2, container, 'mask', ['token:create', 'token:update', 'token:delete'])
  const readRule = createRule(READING_KEY, container, reads === 'none' ? 'mask' : reads, [
    'token:read',
    'token:search',
    'token:use',
  ])
  return { type: 'private', permissions: [], rules: reads === 'none' ? [writes] : [writes, readRule] }
}

/** The grants for a purpose and its answers. What was changed by hand stays; the other rules follow the answers. */
export function updateGrants(
  purpose: ApplicationPurpose,
  { container, reads, byHand }: AccessAnswers,
): GrantsDraft {
  const grants = createGrants(purpose, container, reads)
  if (!byHand) return grants
  const { draft } = byHand
  const rules = draft.rules
    .filter(({ key }) => key !== READING_KEY || reads !== 'none')
    .map((rule) => ({
      ...rule,
      container: rule.container === byHand.container ? container : rule.container,
      transform:
        rule.key === READING_KEY && rule.transform === byHand.reads && reads !== 'none'
          ? reads
          : rule.transform,
    }))
  const added = byHand.reads === 'none' ? grants.rules.filter(({ key }) => key === READING_KEY) : []
  return { ...draft, rules: [...rules, ...added] }
}

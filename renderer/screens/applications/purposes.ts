import type { Permission } from '../../../shared/permissions.ts'
import type { RuleTransform } from '../../../shared/schemas/rule.ts'
import { listHoldablePermissions, splitByUse } from '../../parts/access/permission-groups.ts'
import type { GrantsDraft, RuleDraft } from './rules/grants.ts'

export const purposes = ['backend', 'browser', 'management'] as const
export type ApplicationPurpose = (typeof purposes)[number]

/** The transform with which a backend reads data; `none` if it may not read. */
export type Reads = RuleTransform | 'none'

/** The key of the rule for reading. Rules that the owner adds have keys from 0 on. */
const READING_KEY = -1

export type AccessAnswers = {
  readonly container: string
  readonly reads: Reads
  /** The grants after the last edit by hand, and the answers at that time. */
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

/** The default grants for a purpose and the answers in the form. */
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

/** Updates the grants when an answer changes. Rules that were edited by hand are preserved. */
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

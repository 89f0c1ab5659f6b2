import type { Permission } from '../../../shared/permissions.ts'
import type { Transform } from '../../../shared/schemas/rule.ts'
import { heldBy, splitByUse } from '../../parts/access/permission-groups.ts'
import type { GrantsDraft, RuleDraft } from './grants.ts'

export const purposes = ['backend', 'browser', 'management'] as const
export type Purpose = (typeof purposes)[number]

/** What reading shows a backend; `none` if it may not read. */
export type Reads = Transform | 'none'

/** Below those of rules that are added by hand, which are counted from 0. */
const readingKey = -1

export type Answers = {
  readonly container: string
  readonly reads: Reads
  /** The grants as they were last changed by hand, and the answers then. */
  readonly byHand: { readonly container: string; readonly reads: Reads; readonly draft: GrantsDraft } | null
}

function rule(key: number, container: string, transform: Transform, permissions: Permission[]): RuleDraft {
  return { key, description: '', container, transform, permissions }
}

/** The grants for a purpose and its answers. */
export function grantsFor(purpose: Purpose, container: string, reads: Reads): GrantsDraft {
  if (purpose === 'management')
    return { type: 'management', permissions: splitByUse(heldBy('management')).useful, rules: [] }
  if (purpose === 'browser') {
    return {
      type: 'public',
      permissions: [],
      rules: [rule(-2, container, 'mask', ['token:create', 'token-intent:create'])],
    }
  }
  const writes = rule(-2, container, 'mask', ['token:create', 'token:update', 'token:delete'])
  const reading = rule(readingKey, container, reads === 'none' ? 'mask' : reads, [
    'token:read',
    'token:search',
    'token:use',
  ])
  return { type: 'private', permissions: [], rules: reads === 'none' ? [writes] : [writes, reading] }
}

/** The grants for a purpose and its answers. What was changed by hand stays; the other rules follow the answers. */
export function grantsAfter(purpose: Purpose, { container, reads, byHand }: Answers): GrantsDraft {
  const made = grantsFor(purpose, container, reads)
  if (!byHand) return made
  const { draft } = byHand
  const rules = draft.rules
    .filter(({ key }) => key !== readingKey || reads !== 'none')
    .map((rule) => ({
      ...rule,
      container: rule.container === byHand.container ? container : rule.container,
      transform:
        rule.key === readingKey && rule.transform === byHand.reads && reads !== 'none'
          ? reads
          : rule.transform,
    }))
  const added = byHand.reads === 'none' ? made.rules.filter(({ key }) => key === readingKey) : []
  return { ...draft, rules: [...rules, ...added] }
}

import type { Permission } from '../../../shared/permissions.ts'
import type { Transform } from '../../../shared/schemas/rule.ts'
import { heldBy, splitByUse } from '../../parts/access/permission-groups.ts'
import type { GrantsDraft, RuleDraft } from './grants.ts'

export const purposes = ['backend', 'browser', 'management'] as const
export type Purpose = (typeof purposes)[number]

/** What reading shows a backend; `none` if it may not read. */
export type Reads = Transform | 'none'

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
      rules: [rule(0, container, 'mask', ['token:create', 'token-intent:create'])],
    }
  }
  const writes = rule(0, container, 'mask', ['token:create', 'token:update', 'token:delete'])
  const reading = rule(1, container, reads === 'none' ? 'mask' : reads, [
    'token:read',
    'token:search',
    'token:use',
  ])
  return { type: 'private', permissions: [], rules: reads === 'none' ? [writes] : [writes, reading] }
}
